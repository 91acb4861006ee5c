import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { markdownSource } from "../../../../test/telegram/markdown-source.ts";
import { formatMarkdown } from "./format-markdown.ts";
import { endOf, type FormattedText, plainText } from "./formatted-text.ts";
import { type SplitText, splitText } from "./split-text.ts";

function texts({ chunks }: SplitText): string[] {
  return chunks.map(({ text }) => text);
}

function withoutCounter(text: string): string {
  return text.replace(/ \(\d+\/\d+\)$/, "");
}

const withoutSpace = (text: string) => text.replace(/\s+/g, "");

/** Each visible code unit with the types of its entities, without the counters. */
function marks(chunks: readonly FormattedText[]): string[] {
  return chunks.flatMap(({ text, entities }) => {
    const shown = chunks.length > 1 ? withoutCounter(text) : text;
    return Array.from({ length: shown.length }, (_, at) => {
      const types = entities.filter((entity) => entity.offset <= at && at < endOf(entity)).map(({ type }) => type);
      return `${shown[at]} ${types.join()}`;
    }).filter((mark) => mark[0]?.trim() !== "");
  });
}

describe("where text is broken", () => {
  test("text that fits is one chunk without a counter", () => {
    const formatted = formatMarkdown("**a**");
    expect(splitText(formatted)).toEqual({ chunks: [formatted], rest: null });
    expect(texts(splitText(plainText("x".repeat(4_096))))).toEqual(["x".repeat(4_096)]);
  });

  test("blank text has no chunks", () => {
    expect(splitText(plainText(" \n "))).toEqual({ chunks: [], rest: null });
  });

  test("an empty line is preferred to a line break", () => {
    const text = `${"a".repeat(15)}\n\n${"b".repeat(8)}\n${"c".repeat(20)}`;
    expect(texts(splitText(plainText(text), 40))).toEqual([
      `${"a".repeat(15)} (1/2)`,
      `${"b".repeat(8)}\n${"c".repeat(20)} (2/2)`,
    ]);
  });

  test("a line break is preferred to one before an indented line, and that to a word break", () => {
    expect(texts(splitText(plainText("• aaaaaaaaaaaa\n• bbbb\n  • cccc\n  • dddd dddd"), 40))).toEqual([
      "• aaaaaaaaaaaa (1/2)",
      "• bbbb\n  • cccc\n  • dddd dddd (2/2)",
    ]);
    expect(texts(splitText(plainText("one two three four five six seven eight nine"), 40))).toEqual([
      "one two three four five six seven (1/2)",
      "eight nine (2/2)",
    ]);
  });

  test("a line break outside code is preferred to one inside", () => {
    const formatted = formatMarkdown(`${"a".repeat(20)}\n\`\`\`js\nx = 1\n\ny = 2\nz = 3\n\`\`\`\nend`);
    const { chunks } = splitText(formatted, 40);
    expect(chunks.map(({ text }) => text)).toEqual([`${"a".repeat(20)} (1/2)`, "x = 1\n\ny = 2\nz = 3\nend (2/2)"]);
  });

  test("code that is too long continues with its language", () => {
    const { chunks } = splitText(formatMarkdown("```js\n  first = 1\n  second = 2\n  third = 3\n```"), 32);
    expect(chunks).toEqual([
      { text: "  first = 1\n  second = 2 (1/2)", entities: [{ type: "pre", language: "js", offset: 0, length: 24 }] },
      { text: "  third = 3 (2/2)", entities: [{ type: "pre", language: "js", offset: 0, length: 11 }] },
    ]);
  });

  test("a fence of 10,000 lines keeps every line", () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `  line(${index});`);
    const { chunks } = splitText(formatMarkdown(`\`\`\`js\n${lines.join("\n")}\n\`\`\``));
    expect(chunks.flatMap(({ text }) => withoutCounter(text).split("\n"))).toEqual(lines);
    expect(chunks.every(({ entities }) => entities.length === 1 && entities[0]?.type === "pre")).toBe(true);
  });

  test("styles that span a break continue after it", () => {
    const { chunks } = splitText(formatMarkdown("**one two three *four five six seven eight* nine**"), 32);
    expect(chunks).toEqual([
      {
        text: "one two three four five (1/2)",
        entities: [
          { type: "bold", offset: 0, length: 23 },
          { type: "italic", offset: 14, length: 9 },
        ],
      },
      {
        text: "six seven eight nine (2/2)",
        entities: [
          { type: "bold", offset: 0, length: 20 },
          { type: "italic", offset: 0, length: 15 },
        ],
      },
    ]);
  });
});

describe("characters that belong together", () => {
  test.each([
    ["an emoji", "😀"],
    ["a family of joined emoji", "👨‍👩‍👧‍👦"],
    ["a flag", "🇩🇪"],
    ["a letter with accents", "e\u0301\u0323"],
    ["a skin tone", "👍🏽"],
  ])("%s is not cut", (_, character) => {
    const { chunks } = splitText(plainText(character.repeat(4_096)));
    const counts = chunks.map(({ text }) => withoutCounter(text).length / character.length);
    expect(counts.every(Number.isInteger)).toBe(true);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4_096);
  });

  test("a cluster that is longer than a message is cut between code points", () => {
    const { chunks } = splitText(plainText(`x${"\u{e0100}".repeat(100)}`), 32);
    expect(chunks.some(({ text }) => /\p{Surrogate}/u.test(text))).toBe(false);
    expect(chunks.map(({ text }) => withoutCounter(text)).join("").length).toBe(201);
  });
});

describe("limits", () => {
  test("a message has at most 100 entities, and none is lost", () => {
    const { chunks } = splitText(
      formatMarkdown(Array.from({ length: 250 }, (_, index) => `**b${index}** x`).join("\n")),
    );
    expect(chunks.every(({ entities }) => entities.length <= 100)).toBe(true);
    expect(chunks.flatMap(({ entities }) => entities)).toHaveLength(250);
  });

  test("text beyond the allowed chunks is returned as the rest", () => {
    const { chunks, rest } = splitText(plainText(`${"a".repeat(20)}\n${"b".repeat(20)}\n${"c".repeat(20)}`), 32, 2);
    expect(chunks.map(({ text }) => text)).toEqual([`${"a".repeat(20)} (1/2)`, `${"b".repeat(20)} (2/2)`]);
    expect(rest).toBe("c".repeat(20));
  });

  test("ten chunks make room for longer counters", () => {
    const split = texts(splitText(plainText("x".repeat(32 * 9 - 5)), 32));
    expect(split.length).toBeGreaterThan(9);
    expect(split.every((text) => text.length <= 32)).toBe(true);
    expect(split.at(-1)).toMatch(/ \((\d\d)\/\1\)$/);
  });

  test("a limit without room for text is refused", () => {
    expect(() => splitText(plainText("a"), 31)).toThrow(RangeError);
  });
});

test("any text is split within the limit, and keeps its characters and entities", () => {
  fc.assert(
    fc.property(markdownSource, fc.integer({ min: 32, max: 80 }), (markdown, limit) => {
      const formatted = formatMarkdown(markdown.repeat(3));
      const { chunks, rest } = splitText(formatted, limit);
      expect(rest).toBeNull();
      for (const { text, entities } of chunks) {
        expect(text.length).toBeLessThanOrEqual(limit);
        for (const entity of entities) {
          expect(entity.length).toBeGreaterThan(0);
          expect(endOf(entity)).toBeLessThanOrEqual(text.length);
        }
      }
      expect(marks(chunks)).toEqual(marks([formatted]));
    }),
    { numRuns: 1_000 },
  );
});

test("chunks and rest together are the whole text, however many chunks are allowed", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 400, size: "max" }), fc.nat({ max: 6 }), (text, maxChunks) => {
      const { chunks, rest } = splitText(plainText(text), 40, maxChunks + 1);
      const shown = chunks.map((chunk) => (chunks.length > 1 ? withoutCounter(chunk.text) : chunk.text));
      expect(chunks.length).toBeLessThanOrEqual(maxChunks + 1);
      expect(withoutSpace(shown.join("") + (rest ?? ""))).toBe(withoutSpace(text));
    }),
  );
});

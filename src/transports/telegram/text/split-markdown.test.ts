import fc from "fast-check";
import { Lexer, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { markdownSource } from "../../../../test/telegram/markdown-source.ts";
import { type SplitMarkdown, splitMarkdown } from "./split-markdown.ts";

const textLimit = 4_096;
const richLimit = 32_768;

function withoutCounter(part: string): string {
  return part.replace(/\n\n\(\d+\/\d+\)$/, "");
}

function repeat(count: number, line: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => line(index)).join("\n");
}

type Code = { lang: string | undefined; text: string };

/** All code in a source, as marked parses it. */
function codeOf(markdown: string): Code[] {
  return codeIn(new Lexer({ gfm: true }).lex(markdown));
}

function codeIn(tokens: readonly Token[]): Code[] {
  return tokens.flatMap((token) => {
    if (token.type === "code") return [{ lang: token.lang, text: token.text }];
    if (token.type === "list") return codeIn(token.items);
    return "tokens" in token ? codeIn(token.tokens ?? []) : [];
  });
}

/** Without counters. */
function shown({ parts }: SplitMarkdown): string[] {
  return parts.length > 1 ? parts.map(withoutCounter) : [...parts];
}

test("Markdown that fits is one part without a counter", () => {
  expect(splitMarkdown("# a\r\n\r\nb\n", textLimit)).toEqual({ parts: ["# a\n\nb"], rest: null });
  expect(splitMarkdown("x".repeat(textLimit), textLimit).parts).toEqual(["x".repeat(textLimit)]);
  expect(splitMarkdown(" \n", textLimit)).toEqual({ parts: [], rest: null });
});

test("parts break at an empty line, and end with a counter as a separate paragraph", () => {
  const first = "a ".repeat(60).trim();
  const second = "b ".repeat(80).trim();
  expect(splitMarkdown(`${first}\n\n${second}`, 256)).toEqual({
    parts: [`${first}\n\n(1/2)`, `${second}\n\n(2/2)`],
    rest: null,
  });
});

test.each([
  ["an empty line to a line break", "\n\n", "\n"],
  ["a line break to one before an indented line", "\n", "\n  "],
  ["a line break before an indented line to a word break", "\n  ", " "],
])("a part prefers %s", (_, better, worse) => {
  const source = `${"a".repeat(90)}${better}${"b".repeat(60)}${worse}${"c".repeat(200)}`;
  expect(shown(splitMarkdown(source, 256))[0]).toBe("a".repeat(90));
});

test("a part is broken at a word rather than in it", () => {
  const words = Array.from({ length: 100 }, (_, index) => `word${index}`);
  const parts = shown(splitMarkdown(words.join(" "), 256));
  expect(parts.flatMap((part) => part.split(" "))).toEqual(words);
});

describe("fences", () => {
  const lines = (count: number) => repeat(count, (index) => `  const line${index} = ${index};`);

  test("a fence is closed and opened again with its language", () => {
    const { parts } = splitMarkdown(`Here:\n\n\`\`\`ts\n${lines(20)}\n\`\`\`\n\nDone.`, 300);
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.slice(1).every((part) => part.startsWith("```ts\n"))).toBe(true);
    const code = parts.flatMap(codeOf);
    expect(code.every(({ lang }) => lang === "ts")).toBe(true);
    expect(code.map(({ text }) => text).join("\n")).toBe(lines(20));
  });

  test.each([
    ["in a list", "1.  ", "    "],
    ["in a nested list", "- - ", "    "],
    ["in a quote", "> ", "> "],
  ])("a fence %s keeps its code", (_, first, rest) => {
    const code = repeat(30, (index) => `if (${index}) {\n  call();\n}`);
    const source = `${first}\`\`\`\`js\n${code.replace(/^/gm, rest)}\n${rest}\`\`\`\``;
    const found = splitMarkdown(source, 300).parts.flatMap(codeOf);
    expect(found.length).toBeGreaterThan(2);
    expect(found.every(({ lang }) => lang === "js")).toBe(true);
    expect(found.map(({ text }) => text).join("\n")).toBe(code);
  });

  test("a line of code that is too long is cut", () => {
    const { parts } = splitMarkdown(`> ~~~\n> ${"x".repeat(1_000)}\n> ~~~`, 256);
    expect(
      parts
        .flatMap(codeOf)
        .map(({ text }) => text)
        .join(""),
    ).toBe("x".repeat(1_000));
  });

  test("no part has an empty fence, wherever the break falls", () => {
    for (let length = 60; length < 320; length += 1) {
      const { parts } = splitMarkdown(`${"p".repeat(length)}\n\`\`\`\n${"x".repeat(320 - length)}\n\`\`\`\nend`, 256);
      const code = parts.flatMap(codeOf).map(({ text }) => text);
      expect(code).not.toContain("");
      expect(code.join("")).toBe("x".repeat(320 - length));
    }
  });

  test("an unfinished fence is closed before the counter", () => {
    const { parts } = splitMarkdown(`\`\`\`py\n${lines(20)}`, 300);
    expect(
      parts
        .flatMap(codeOf)
        .map(({ text }) => text)
        .join("\n"),
    ).toBe(lines(20));
    expect(parts.at(-1)).toMatch(/\n```\n\n\((\d)\/\1\)$/);
  });

  test.each([textLimit, richLimit])("a fence of 10,000 lines keeps every line in parts of %i", (limit) => {
    const { parts } = splitMarkdown(`\`\`\`ts\n${lines(10_000)}\n\`\`\``, limit);
    expect(
      parts
        .flatMap(codeOf)
        .map(({ text }) => text)
        .join("\n"),
    ).toBe(lines(10_000));
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
    const counts = shown(splitMarkdown(character.repeat(4_096), textLimit)).map(
      (part) => part.length / character.length,
    );
    expect(counts.every(Number.isInteger)).toBe(true);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4_096);
  });

  test("a cluster that is longer than a message is cut between code points", () => {
    const parts = shown(splitMarkdown(`x${"\u{e0100}".repeat(500)}`, 256));
    expect(parts.length).toBeGreaterThan(1);
    expect(parts.some((part) => /\p{Surrogate}/u.test(part))).toBe(false);
    expect(parts.join("").length).toBe(1_001);
  });
});

describe("limits", () => {
  const lines = (...letters: string[]) => letters.map((letter) => letter.repeat(200)).join("\n");

  test("the source beyond the allowed parts is the rest", () => {
    const { parts, rest } = splitMarkdown(lines("a", "b", "c", "d"), 300, 2);
    expect(parts).toEqual([`${"a".repeat(200)}\n\n(1/2)`, `${"b".repeat(200)}\n\n(2/2)`]);
    expect(rest).toBe(lines("c", "d"));
  });

  test("a fence that goes on in the rest is opened again there", () => {
    const { parts, rest } = splitMarkdown(`\`\`\`ts\n${lines("a", "b")}\n\`\`\`\n\nend`, 300, 1);
    expect(parts).toEqual([`\`\`\`ts\n${"a".repeat(200)}\n\`\`\``]);
    expect(rest).toBe(`\`\`\`ts\n${"b".repeat(200)}\n\`\`\`\n\nend`);
  });

  test("ten parts make room for longer counters", () => {
    const { parts } = splitMarkdown("x".repeat(186 * 9 + 5), 256);
    expect(parts.length).toBeGreaterThan(9);
    expect(parts.every((part) => part.length <= 256)).toBe(true);
    expect(parts.at(-1)).toMatch(/\((\d\d)\/\1\)$/);
  });
});

test("a limit without room for text is refused", () => {
  expect(() => splitMarkdown("a", 255)).toThrow(RangeError);
});

test("any Markdown is split within the limit, without loss", () => {
  fc.assert(
    fc.property(markdownSource, fc.integer({ min: 256, max: 300 }), (markdown, limit) => {
      const source = markdown.repeat(8);
      const { parts } = splitMarkdown(source, limit);
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(limit);
      const signs = (text: string) => text.replace(/[\s`~>]+/g, "");
      const hasFence = /```|~~~/.test(source);
      const text = signs(shown({ parts, rest: null }).join("\n"));
      if (!hasFence) expect(text).toBe(signs(source));
      else expect(isSubsequence(signs(source), text)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test("parts and rest together are the whole text, however many parts are allowed", () => {
  const anyText = fc.string({ unit: "binary", minLength: 300, maxLength: 900, size: "max" });
  fc.assert(
    fc.property(anyText, fc.integer({ min: 1, max: 7 }), (text, maxParts) => {
      const split = splitMarkdown(text, 256, maxParts);
      expect(split.parts.length).toBeLessThanOrEqual(maxParts);
      expect([...shown(split), split.rest ?? ""].join("").replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
    }),
  );
});

/** Quadratic work on this length takes minutes, so the test timeout would catch it. */
const long = 1_000_000;
const filled = (piece: string) => piece.repeat(Math.ceil(long / piece.length)).slice(0, long);

test.each([
  ["paragraphs", filled("word **bold** `code` and [link](https://example.com)\n\n")],
  ["one paragraph", filled("a**b")],
  ["one fence", `\`\`\`js\n${filled("x = 1;\n")}`],
  ["open fences", filled("```js\nx\n")],
  ["a list", filled("- item\n")],
  ["deep quotes", filled(">".repeat(8_000).concat("x\n\n"))],
  ["tables", filled(`|a|b|\n|-|-|\n${"|x|y|\n".repeat(3_000)}\n`)],
  ["emoji", filled("😀")],
  ["brackets", filled("[x")],
])("a long answer of %s keeps its letters", (_, markdown) => {
  const count = (text: string) => text.match(/[xab]/g)?.length ?? 0;
  for (const limit of [textLimit, richLimit]) {
    expect(count(splitMarkdown(markdown, limit).parts.join(""))).toBe(count(markdown));
  }
});

function isSubsequence(wanted: string, text: string): boolean {
  let at = 0;
  for (const unit of text) if (wanted.startsWith(unit, at)) at += unit.length;
  return at === wanted.length;
}

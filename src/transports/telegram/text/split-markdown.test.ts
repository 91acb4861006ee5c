import fc from "fast-check";
import { Lexer, type Token } from "marked";
import { describe, expect, test } from "vitest";
import { markdownSource } from "../../../../test/telegram/markdown-source.ts";
import { splitMarkdown } from "./split-markdown.ts";

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

test("Markdown that fits is one part without a counter", () => {
  expect(splitMarkdown("# a\r\n\r\nb\n")).toEqual(["# a\n\nb"]);
  expect(splitMarkdown(" \n")).toEqual([]);
});

test("parts break at an empty line, and end with a counter as a separate paragraph", () => {
  const first = "a ".repeat(60).trim();
  const second = "b ".repeat(80).trim();
  expect(splitMarkdown(`${first}\n\n${second}`, 256)).toEqual([`${first}\n\n(1/2)`, `${second}\n\n(2/2)`]);
});

describe("fences", () => {
  const lines = (count: number) => repeat(count, (index) => `  const line${index} = ${index};`);

  test("a fence is closed and opened again with its language", () => {
    const parts = splitMarkdown(`Here:\n\n\`\`\`ts\n${lines(20)}\n\`\`\`\n\nDone.`, 300);
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
    const found = splitMarkdown(source, 300).flatMap(codeOf);
    expect(found.length).toBeGreaterThan(2);
    expect(found.every(({ lang }) => lang === "js")).toBe(true);
    expect(found.map(({ text }) => text).join("\n")).toBe(code);
  });

  test("a line of code that is too long is cut", () => {
    const parts = splitMarkdown(`> ~~~\n> ${"x".repeat(1_000)}\n> ~~~`, 256);
    expect(
      parts
        .flatMap(codeOf)
        .map(({ text }) => text)
        .join(""),
    ).toBe("x".repeat(1_000));
  });

  test("no part has an empty fence, wherever the break falls", () => {
    for (let length = 60; length < 320; length += 1) {
      const parts = splitMarkdown(`${"p".repeat(length)}\n\`\`\`\n${"x".repeat(320 - length)}\n\`\`\`\nend`, 256);
      const code = parts.flatMap(codeOf).map(({ text }) => text);
      expect(code).not.toContain("");
      expect(code.join("")).toBe("x".repeat(320 - length));
    }
  });

  test("an unfinished fence is closed before the counter", () => {
    const parts = splitMarkdown(`\`\`\`py\n${lines(20)}`, 300);
    expect(
      parts
        .flatMap(codeOf)
        .map(({ text }) => text)
        .join("\n"),
    ).toBe(lines(20));
    expect(parts.at(-1)).toMatch(/\n```\n\n\((\d)\/\1\)$/);
  });

  test("a fence of 10,000 lines keeps every line", () => {
    const parts = splitMarkdown(`\`\`\`ts\n${lines(10_000)}\n\`\`\``);
    expect(
      parts
        .flatMap(codeOf)
        .map(({ text }) => text)
        .join("\n"),
    ).toBe(lines(10_000));
  });
});

test("a limit without room for text is refused", () => {
  expect(() => splitMarkdown("a", 255)).toThrow(RangeError);
});

test("any Markdown is split within the limit, without loss", () => {
  fc.assert(
    fc.property(markdownSource, fc.integer({ min: 256, max: 300 }), (markdown, limit) => {
      const source = markdown.repeat(8);
      const parts = splitMarkdown(source, limit);
      for (const part of parts) expect(part.length).toBeLessThanOrEqual(limit);
      const signs = (text: string) => text.replace(/[\s`~>]+/g, "");
      const hasFence = /```|~~~/.test(source);
      const shown = signs(parts.map((part) => (parts.length > 1 ? withoutCounter(part) : part)).join("\n"));
      if (!hasFence) expect(shown).toBe(signs(source));
      else expect(isSubsequence(signs(source), shown)).toBe(true);
    }),
    { numRuns: 1_000 },
  );
});

test("text without fences is split unchanged", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", minLength: 300, maxLength: 900, size: "max" }), (text) => {
      const shown = splitMarkdown(text, 256).map(withoutCounter).join("");
      expect(shown.replace(/\s+/g, "")).toBe(text.replace(/\s+/g, ""));
    }),
  );
});

function isSubsequence(wanted: string, text: string): boolean {
  let at = 0;
  for (const unit of text) if (wanted.startsWith(unit, at)) at += unit.length;
  return at === wanted.length;
}

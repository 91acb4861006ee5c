import { expect, test } from "vitest";
import { formatMarkdown } from "./format-markdown.ts";
import { splitMarkdown } from "./split-markdown.ts";
import { splitText } from "./split-text.ts";

/** Quadratic work on this length takes minutes, so the test timeout would catch it. */
const length = 1_000_000;

function filled(piece: string): string {
  return piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

const nested = (levels: number) =>
  Array.from({ length: levels }, (_, level) => `${" ".repeat(2 * level)}- x`).join("\n");

test.each([
  ["paragraphs", filled("word **bold** `code` and [link](https://example.com)\n\n")],
  ["one paragraph", filled("a**b")],
  ["long paragraphs", filled(`${"a**b".repeat(2_000)}\n\n`)],
  ["one fence", `\`\`\`js\n${filled("x = 1;\n")}`],
  ["open fences", filled("```js\nx\n")],
  ["a list", filled("- item\n")],
  ["deep lists", filled(`${nested(170)}\n\n`)],
  ["deep quotes", filled(">".repeat(8_000).concat("x\n\n"))],
  ["tables", filled(`|a|b|\n|-|-|\n${"|x|y|\n".repeat(3_000)}\n`)],
  ["a table with many columns", filled(`|${"a|".repeat(500)}\n|${"-|".repeat(500)}\n${"|x\n".repeat(2_000)}\n`)],
  ["a table with many short rows", filled(`|${"a|".repeat(30)}\n|${"-|".repeat(30)}\n${"|x\n".repeat(9_000)}\n`)],
  ["emoji", filled("😀")],
  ["brackets", filled("[x")],
])("a long answer of %s keeps its letters in every form", (_, markdown) => {
  const count = (text: string) => text.match(/[xab]/g)?.length ?? 0;
  const formatted = formatMarkdown(markdown);
  const { chunks } = splitText(formatted);
  const links = formatted.entities.map((entity) => (entity.type === "text_link" ? entity.url : ""));
  expect(count(formatted.text) + count(links.join())).toBe(count(markdown));
  expect(count(chunks.map(({ text }) => text).join(""))).toBe(count(formatted.text));
  expect(count(splitMarkdown(markdown).join(""))).toBe(count(markdown));
  expect(formatted.text.length).toBeLessThan(4 * length);
});

test("only the beginning of a very long answer is formatted", () => {
  const { text, entities } = formatMarkdown(filled("**bold** text\n\n"));
  expect(text.startsWith("bold text\n\nbold text")).toBe(true);
  expect(entities.length).toBeGreaterThan(1_000);
  expect(text).toContain("**bold** text\n\n**bold** text");
});

test("a long fence between paragraphs is one block", () => {
  const code = "x = 1;\n".repeat(10_000).trimEnd();
  const { text, entities } = formatMarkdown(`**a**\n\n\`\`\`js run.js\n${code}\n\`\`\`\n\n*b*`);
  expect(text).toBe(`a\n\nrun.js\n${code}\n\nb`);
  expect(entities.map(({ type }) => type)).toEqual(["bold", "pre", "italic"]);
});

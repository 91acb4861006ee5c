import { expect, test } from "vitest";
import { isFormattable } from "./markdown-limits.ts";

test("normal text is formatted", () => {
  const list = "- an item with `code`, **bold** and [a link](https://example.com)\n".repeat(100);
  const quotes = "> > > quoted by three\n";
  const table = `| a | b | c |\n|---|---|---|\n${"| 1 | 2 | 3 |\n".repeat(200)}`;
  for (const text of [list, quotes, table, "-".repeat(120), "    - deep\n      - deeper"]) {
    expect(isFormattable(text), text.slice(0, 30)).toBe(true);
  }
});

test.each([
  ["quotes in quotes", ">".repeat(100)],
  ["lists in lists", "- ".repeat(100)],
  ["lists in quotes", "> - ".repeat(100)],
  ["brackets", "[".repeat(2000)],
  ["emphasis in emphasis", "*a **b ".repeat(800)],
  ["a long run of marks", "*".repeat(300)],
  ["struck out again and again", "~a".repeat(2000)],
  ["a very wide table", `|${" a |".repeat(2000)}\n`],
  ["a very long block", "word ".repeat(4000)],
])("%s are shown as they are", (_name, text) => {
  expect(isFormattable(text)).toBe(false);
});

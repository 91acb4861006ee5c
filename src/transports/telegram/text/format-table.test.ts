import { expect, test } from "vitest";
import { formatMarkdown } from "./format-markdown.ts";

test("a table is monospaced, with its columns aligned as specified", () => {
  const { text, entities } = formatMarkdown(
    "a\n\n| Name | Count | x |\n|:--|--:|:-:|\n| **foo** | 7 | abc |\n| b | 12 |\n\nb",
  );
  expect(text).toBe("a\n\nName | Count |  x\n-----|-------|----\nfoo  |     7 | abc\nb    |    12 |\n\nb");
  expect(entities).toEqual([{ type: "pre", offset: 3, length: text.length - 6 }]);
});

test("wide characters and emoji take two columns, combining marks none", () => {
  const { text } = formatMarkdown("|a|b|\n|-|-|\n|日本|1|\n|👨‍👩‍👧|2|\n|🇩🇪e\u0301|3|\n|x|4|");
  expect(text.split("\n").slice(2)).toEqual(["日本 | 1", "👨‍👩‍👧   | 2", "🇩🇪e\u0301  | 3", "x    | 4"]);
});

test("an escaped pipe in code belongs to its cell", () => {
  expect(formatMarkdown("|a|b|\n|-|-|\n|`x \\| y`|2|").text).toBe("a     | b\n------|--\nx | y | 2");
});

test("a bare pipe in code belongs to its cell if the row has too many cells", () => {
  expect(formatMarkdown("|a|b|\n|-|-|\n|`x|y`|2|").text).toBe("a   | b\n----|--\nx|y | 2");
});

test("cells without a column are joined into the last one", () => {
  expect(formatMarkdown("|a|b|\n|-|-|\n|1|2|3|4|").text).toBe("a | b\n--|----------\n1 | 2 | 3 | 4");
});

test("a link in a cell keeps its URL", () => {
  expect(formatMarkdown("|a|\n|-|\n|[x](https://example.com)|").text).toContain("x (https://example.com)");
});

test("a very wide cell does not pad the other rows", () => {
  const wide = "w".repeat(500);
  expect(formatMarkdown(`|a|b|\n|-|-|\n|${wide}|1|\n|x|2|`).text).toBe(`a | b\n--|--\n${wide} | 1\nx | 2`);
});

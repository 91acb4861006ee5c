import { expect, test } from "vitest";
import { markdownBlocks } from "./markdown-blocks.ts";

test("paragraphs are blocks, and joining them restores the text", () => {
  expect(markdownBlocks("one\ntwo\n\nthree")).toEqual(["one\ntwo\n", "three"]);
});

test("a fence with blank lines is one block, even while it is still open", () => {
  const code = "```js\na();\n\nb();\n```";
  expect(markdownBlocks(`before\n\n${code}\n\nafter`)).toEqual(["before\n", `${code}\n`, "after"]);
  expect(markdownBlocks("```\na\n\nb")).toEqual(["```\na\n\nb"]);
  expect(markdownBlocks("````\n```\n\nx\n````\n\ny")).toHaveLength(2);
});

test("list items stay together, with indented text below them", () => {
  expect(markdownBlocks("1. one\n\n   more\n\n2. two\n\nend")).toEqual(["1. one\n\n   more\n\n2. two\n", "end"]);
});

test("added words change only the last block", () => {
  const text = "first\n\nsecond\n\nthird";
  const [before, after] = [markdownBlocks(text), markdownBlocks(`${text} goes on\n\nfourth`)];
  expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
});

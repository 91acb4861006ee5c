import { expect, test } from "vitest";
import { displayWidth, table, truncated } from "./table.ts";

const plain = { width: Number.POSITIVE_INFINITY, paint: (_style: unknown, text: string) => text };
const head = ["ID", "TEXT"];

test("columns are as wide as their widest cell, and lines have no trailing blanks", () => {
  expect(
    table(
      head,
      [
        ["a", "one"],
        ["long-id", ""],
      ],
      plain,
    ),
  ).toEqual(["ID       TEXT", "a        one", "long-id"]);
});

test("an empty column is omitted", () => {
  const rows = [
    ["a", "", "x"],
    ["b", "", ""],
  ];
  expect(table(["ID", "NOTE", "TEXT"], rows, plain)).toEqual(["ID  TEXT", "a   x", "b"]);
});

test("lines fit the terminal: the widest column is cut", () => {
  const rows = [["a-rather-long-id", "a text that goes on and on and on and on"]];
  for (const width of [60, 40, 30, 20]) {
    const lines = table(head, rows, { ...plain, width });
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
  }
  expect(table(head, rows, { ...plain, width: 40 })[1]).toBe("a-rather-long-id  a text that goes on a…");
});

test("a column is padded by its visible width, not by its colours", () => {
  const paint = (_style: unknown, text: string) => `<${text}>`;
  const [, line] = table(head, [[{ text: "a", style: "red" }, "b"]], { ...plain, paint });
  expect(line).toBe("<a>   b");
});

test("wide characters count as two columns", () => {
  expect(displayWidth("日本")).toBe(4);
  expect(displayWidth("e\u0301")).toBe(1);
  expect(displayWidth("👍")).toBe(2);
  expect(truncated("日本語", 5)).toBe("日本…");
});

import { expect, test } from "vitest";
import { printable } from "./terminal.ts";

test.each([
  ["two\nlines\tand a tab", "two\nlines\tand a tab"],
  ["\u001b[2Jgone \u0007", "gone "],
  ["rm \u202efdp.stnemucod", "rm fdp.stnemucod"],
  ["\u2066hidden\u2069", "hidden"],
  ["\u05e9\u05dc\u05d5\u05dd\u200f!", "\u05e9\u05dc\u05d5\u05dd\u200f!"],
])("%j is printed as %j", (text, shown) => {
  expect(printable(text)).toBe(shown);
});

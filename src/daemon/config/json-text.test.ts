import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./read-file.ts";

test.each([
  ["", 1, 1, /a value is expected/],
  ["{", 1, 2, /a "}" is expected/],
  ['{"a": 1,}', 1, 9, /a name in double quotes is expected/],
  ["[1, 2,]", 1, 7, /a value is expected/],
  ['{"a" 1}', 1, 6, /a ":" is expected/],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /a "," or the closing bracket/],
  ["{}\n{}", 2, 1, /the end of the file/],
  ['{"a": tru}', 1, 7, /a value/],
  ['{"a": 01}', 1, 8, /a "," or the closing bracket/],
  ["// a comment\n{}", 1, 1, /a comment/],
  ['{"a": "no\nend"}', 1, 7, /no closing quote/],
  ["[}", 1, 2, /a value is expected/],
])("%j is invalid JSON at %i:%i", (text, line, column, reason) => {
  expect(readJson(text)).toEqual({ ok: false, line, column, reason: expect.stringMatching(reason) });
});

test("a byte order mark is accepted, and deep nesting is refused", () => {
  expect(readJson('\ufeff{"a": [1]}')).toEqual({ ok: true, value: { a: [1] } });
  expect(readJson("[".repeat(200_000))).toMatchObject({ ok: false, reason: "it is nested too deeply" });
});

test("a truncated text is invalid at its end, and an unexpected character where it occurs", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, at) => {
      const place = at % json.length;
      const cut = readJson(json.slice(0, place));
      // A truncated number may still be valid.
      expect(cut.ok || cut.column <= place + 1).toBe(true);
      expect(readJson(`${json} §`)).toMatchObject({ ok: false, column: json.length + 2 });
    }),
  );
});

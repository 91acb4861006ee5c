import fc from "fast-check";
import { expect, test } from "vitest";
import { readJson } from "./json-text.ts";

test.each([
  ["", 1, 1, /a value should stand there, and the file ends/],
  ["{", 1, 2, /a name in double quotes or "}".*the file ends/],
  ['{"a": 1,}', 1, 9, /a name in double quotes should stand there/],
  ["[1, 2,]", 1, 7, /a value should stand there/],
  ['{"a" 1}', 1, 6, /a ":" should stand there/],
  ['{\n  "a": 1\n  "b": 2\n}', 3, 3, /a "," or the closing bracket/],
  ["{}\n{}", 2, 1, /the end of the file/],
  ['{"a": tru}', 1, 7, /a value/],
  ['{"a": 01}', 1, 7, /a value/],
  ["// a comment\n{}", 1, 1, /a value/],
  ['{"a": "no\nend"}', 1, 7, /a value/],
  ["[}", 1, 2, /a value or "]"/],
])("%j stops being JSON at %i:%i", (text, line, column, reason) => {
  expect(readJson(text)).toEqual({ ok: false, line, column, reason: expect.stringMatching(reason) });
});

test("a byte order mark is no fault, and what is deep is no trouble", () => {
  expect(readJson('\ufeff{"a": [1]}')).toEqual({ ok: true, value: { a: [1] } });
  expect(readJson("[".repeat(200_000))).toMatchObject({ ok: false, column: 200_001 });
});

test("a text that was cut short is at fault at its end, and a foreign sign where it stands", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, at) => {
      const place = at % json.length;
      const cut = readJson(json.slice(0, place));
      // A number that was cut may be one still.
      expect(cut.ok || cut.column <= place + 1).toBe(true);
      expect(readJson(`${json}§`)).toMatchObject({ ok: false, column: json.length + 1 });
    }),
  );
});

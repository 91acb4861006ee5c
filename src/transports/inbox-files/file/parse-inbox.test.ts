import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withAppended, withRows } from "./edit-inbox.ts";
import type { ParsedInbox } from "./parse-inbox.ts";
import { bytesToParse, parseInbox } from "./parse-inbox.ts";

const parsed = (text: string | Buffer, known: ParsedInbox | null = null): ParsedInbox => {
  const inbox = parseInbox(Buffer.from(text), known);
  if ("damage" in inbox) throw new Error(inbox.damage);
  return inbox;
};
const textsOf = ({ bytes, starts, ends }: ParsedInbox) =>
  starts.map((start, index) => bytes.toString("utf8", start, ends[index]));

/** Arrays as other programs write them: any values, in one of several layouts. */
const layouts = fc.constantFrom<(rows: unknown[]) => string>(
  (rows) => JSON.stringify(rows),
  (rows) => JSON.stringify(rows, null, 2),
  (rows) => JSON.stringify(rows, null, "\t"),
  (rows) => ` [ ${rows.map((row) => JSON.stringify(row)).join(" ,\r\n")} ]\n`,
);
const rows = fc.array(
  fc.oneof(
    fc.jsonValue(),
    fc.record({ from: fc.string(), text: fc.string({ unit: "binary" }), read: fc.boolean(), extra: fc.jsonValue() }),
  ),
  { maxLength: 8 },
);
const files = fc.tuple(rows, layouts).map(([values, layout]) => layout(values));

describe("parsing", () => {
  test("finds the same rows as JSON.parse, whatever their values and layout", () => {
    fc.assert(
      fc.property(files, (text) => {
        expect(parsed(text).rows).toEqual(JSON.parse(text));
      }),
    );
  });

  test("accepts what JSON.parse accepts, and nothing else", () => {
    const damaged = fc.tuple(files, fc.nat(), fc.string({ maxLength: 3 }), fc.nat({ max: 3 }));
    fc.assert(
      fc.property(damaged, ([text, place, insert, removed]) => {
        const at = place % (text.length + 1);
        const bytes = Buffer.from(text.slice(0, at) + insert + text.slice(at + removed));
        const inbox = parseInbox(bytes);
        const expected = arrayIn(bytes.toString());
        if (expected === null) expect(inbox).toHaveProperty("damage");
        else expect(inbox).toMatchObject({ rows: expected });
      }),
      { numRuns: 1000 },
    );
  });

  test("detects a truncated file, wherever it ends", () => {
    fc.assert(
      fc.property(files, (text) => {
        const whole = Buffer.from(text.trim());
        for (let length = 0; length < whole.length; length++) {
          expect(parseInbox(whole.subarray(0, length))).toHaveProperty("damage");
        }
      }),
      { numRuns: 20 },
    );
  });

  test.each([
    ["", "it is empty"],
    [" \n", "it is empty"],
    ['{"from":"lead"}', "it is not a JSON array"],
    ["[1,2", "its array is not closed"],
    ["[1 2]", "a comma is missing between two rows at byte 3"],
    ['[1,{"from":}]', "row 2, at byte 3, is not valid JSON"],
    ["[1,]", "row 2, at byte 3, is not valid JSON"],
    ["[1]]", "something follows its array, at byte 3"],
  ])("says what is wrong with %j", (text, damage) => {
    expect(parseInbox(Buffer.from(text))).toEqual({ damage });
  });

  test("with a cached result gives the same rows as parsing from scratch", () => {
    fc.assert(
      fc.property(files, files, fc.nat(), (before, after, place) => {
        const at = place % (before.length + 1);
        for (const text of [after, before, before.slice(0, at) + after.slice(at)]) {
          expect(parseInbox(Buffer.from(text), parsed(before))).toEqual(parseInbox(Buffer.from(text)));
        }
      }),
    );
  });

  test("a number with more digits is a different number", () => {
    expect(parsed("[1,12]", parsed("[1,1]")).rows).toEqual([1, 12]);
    expect(parsed("[12,1]", parsed("[1,1]")).rows).toEqual([12, 1]);
  });

  test("parses only the added rows at the end, and keeps the rows before them", () => {
    const before = parsed(
      JSON.stringify(
        Array.from({ length: 100 }, (_, n) => ({ n })),
        null,
        2,
      ),
    );
    const grown = withAppended(before, ['{"n":100}']);
    expect(bytesToParse(grown, before)).toBeLessThan(40);
    const after = parsed(grown, before);
    expect(after.rows[42]).toBe(before.rows[42]);
    expect(after.rows).toHaveLength(101);
  });
});

describe("appending", () => {
  test("keeps every byte of the rows before it", () => {
    fc.assert(
      fc.property(files, rows, (text, added) => {
        if (added.length === 0) return;
        const before = parsed(text);
        const after = parsed(
          withAppended(
            before,
            added.map((row) => JSON.stringify(row)),
          ),
        );
        expect(textsOf(after)).toEqual([...textsOf(before), ...added.map((row) => JSON.stringify(row))]);
      }),
    );
  });

  test("writes the same text as Claude Code", () => {
    const all = [
      { from: "lead", text: "one\ntwo" },
      { from: "lead", nested: { list: [1, {}] } },
    ];
    const first = withAppended(null, [rowLike(all[0])]);
    expect(withAppended(parsed(first), [rowLike(all[1])]).toString()).toBe(JSON.stringify(all, null, 2));
  });
});

describe("replacing rows", () => {
  test("unchanged rows keep their bytes, in any order and next to any new rows", () => {
    const edits = fc.array(fc.oneof(fc.nat(), fc.record({ fresh: fc.jsonValue() })), { maxLength: 8 });
    fc.assert(
      fc.property(files, edits, (text, edit) => {
        const before = parsed(text);
        const places = [
          ...new Set(edit.map((one) => (typeof one === "number" ? one % (before.rows.length + 1) : one))),
        ];
        const wanted = places.filter((one) => typeof one !== "number" || one < before.rows.length);
        const bytes = withRows(
          before,
          wanted.map((one) => (typeof one === "number" ? before.rows[one] : one)),
        );
        const after = bytes === null ? before : parsed(bytes);
        const objects = wanted.map((one, index) => [one, index] as const).filter(([one]) => isKeptObject(before, one));
        for (const [place, index] of objects) expect(textsOf(after)[index]).toBe(textsOf(before)[place as number]);
        expect(after.rows).toEqual(wanted.map((one) => (typeof one === "number" ? before.rows[one] : jsonOf(one))));
      }),
    );
  });

  test("numbers, strings and null also keep their bytes", () => {
    const before = parsed('[1.50, "\\u0061", null, {"a":1e2}, 1.50]');
    expect(withRows(before, before.rows.slice(0, 4))?.toString()).toBe(
      '[\n  1.50,\n  "\\u0061",\n  null,\n  {"a":1e2}\n]',
    );
  });

  test("the same rows count as no change", () => {
    const before = parsed('[1,{"a":2}]');
    expect(withRows(before, [...before.rows])).toBeNull();
  });

  test("no rows give an empty array", () => {
    expect(withRows(parsed("[1]"), [])?.toString()).toBe("[]");
  });
});

function isKeptObject(inbox: ParsedInbox, place: unknown): boolean {
  return typeof place === "number" && typeof inbox.rows[place] === "object" && inbox.rows[place] !== null;
}

function rowLike(row: unknown): string {
  return JSON.stringify([row], null, 2).slice(4, -2);
}

function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function arrayIn(text: string): unknown[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

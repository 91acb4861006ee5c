import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { missingRows, whyMissing } from "./hand-over.ts";

const row = (key: string, ...before: string[]) => ({ key, before });

describe("a missing row", () => {
  test("was lost to an older array when a row before it is still present", () => {
    expect(whyMissing(row("ours", "first", "second"), new Set(["second", "new"]))).toBe("older_array");
  });

  test("was lost to an older array when a row before it is present again", () => {
    expect(whyMissing(row("ours", "first", "second"), new Set(["first"]))).toBe("older_array");
  });

  test("is gone when the rows before it are also gone", () => {
    expect(whyMissing(row("ours", "first", "second"), new Set(["new"]))).toBe("gone");
  });

  test("is gone when it was the first row", () => {
    expect(whyMissing(row("ours"), new Set(["new"]))).toBe("gone");
  });

  test("is gone when the file is empty", () => {
    expect(whyMissing(row("ours", "first"), new Set())).toBe("gone");
  });
});

describe("several rows", () => {
  test("present rows need no action", () => {
    expect(missingRows(["first", "ours"], [row("ours", "first")])).toEqual({ restore: [], gone: [] });
  });

  test("a restored row counts as present for the row written after it", () => {
    const written = [row("one", "first"), row("two", "one"), row("three", "two")];
    expect(missingRows(["first"], written)).toEqual({ restore: ["one", "two", "three"], gone: [] });
  });

  test("a row that was taken does not bring back the row after it", () => {
    expect(missingRows(["new"], [row("one", "first"), row("two", "one")])).toEqual({
      restore: [],
      gone: ["one", "two"],
    });
  });

  test("a row after a present one is restored, and a row before it is gone", () => {
    const written = [row("one"), row("two", "one"), row("three", "one", "two")];
    expect(missingRows(["two"], written)).toEqual({ restore: ["three"], gone: ["one"] });
  });

  test("each row is exactly one of present, restored or gone", () => {
    const keys = fc.uniqueArray(fc.constantFrom(..."abcdefgh"));
    fc.assert(
      fc.property(keys, keys, (order, present) => {
        const written = order.map((key, index) => row(key, ...order.slice(0, index)));
        const { restore, gone } = missingRows(present, written);
        const there = order.filter((key) => present.includes(key));
        expect([...there, ...restore, ...gone].toSorted()).toEqual(order.toSorted());
        const firstThere = order.findIndex((key) => present.includes(key));
        const behind = firstThere === -1 ? [] : order.slice(firstThere);
        expect(restore).toEqual(behind.filter((key) => !present.includes(key)));
      }),
    );
  });
});

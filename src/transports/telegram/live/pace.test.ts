import { describe, expect, test } from "vitest";
import { nextPreviewAt, nextProgressAt, progressDue } from "./pace.ts";

describe("progress", () => {
  const times = { firstMs: 10_000, everyMs: 30_000, maxCount: 3 };

  test.each([
    [9_999, 0],
    [10_000, 1],
    [39_999, 1],
    [40_000, 2],
    [70_000, 3],
    [1_000_000, 3],
  ])("after %i ms, %i reports are due", (ms, count) => {
    expect(progressDue(5000, 5000 + ms, times)).toBe(count);
  });

  test("the next report is timed from the first send, and none is due after the last", () => {
    expect([0, 1, 2, 3].map((count) => nextProgressAt(5000, count, times))).toEqual([15_000, 45_000, 75_000, null]);
    expect(progressDue(0, 1_000_000, { ...times, maxCount: 0 })).toBe(0);
  });
});

describe("a preview", () => {
  const rest = { isChanged: false, lastShownAt: 1000, pausedUntil: 0 };

  test("is shown immediately the first time, and then after a pause", () => {
    expect(nextPreviewAt({ ...rest, isChanged: true, lastShownAt: null }, 1000, null)).toBe(0);
    expect(nextPreviewAt({ ...rest, isChanged: true }, 1000, null)).toBe(2000);
  });

  test("is not repeated unchanged, unless it fades", () => {
    expect(nextPreviewAt(rest, 1000, null)).toBeNull();
    expect(nextPreviewAt(rest, 1000, 20_000)).toBe(21_000);
  });

  test("waits as long as the server asked", () => {
    expect(nextPreviewAt({ ...rest, isChanged: true, pausedUntil: 9000 }, 1000, 20_000)).toBe(9000);
  });
});

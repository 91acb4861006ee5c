import { describe, expect, test } from "vitest";
import { ago, formatDuration, oneLine, parseDuration, shortId, until } from "./format.ts";

test.each([
  [0, "0 s"],
  [600, "0.6 s"],
  [3000, "3 s"],
  [59_400, "59 s"],
  [60_000, "1 min"],
  [5_400_000, "2 h"],
  [172_800_000, "2 d"],
])("%d ms are %j", (ms, words) => {
  expect(formatDuration(ms)).toBe(words);
});

test("times are shown relative to now", () => {
  const now = Date.parse("2026-01-31T12:00:00.000Z");
  expect(ago("2026-01-31T11:59:59.900Z", now)).toBe("just now");
  expect(ago("2026-01-31T11:59:50.400Z", now)).toBe("9 s ago");
  expect(ago("2026-01-31T12:00:05.000Z", now)).toBe("just now");
  expect(until("2026-01-31T12:00:30.000Z", now)).toBe("in 30 s");
  expect(until("2026-01-31T11:00:00.000Z", now)).toBe("now");
});

test.each([
  ["90", 90_000],
  ["90s", 90_000],
  ["10m", 600_000],
  ["10 min", 600_000],
  ["1.5h", 5_400_000],
  ["2d", 172_800_000],
  ["soon", null],
  ["-5", null],
  ["1e3", null],
  ["", null],
])("%j as a duration is %j ms", (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

describe("untrusted text in one line", () => {
  test.each([
    ["a\nb\tc  d", "a b c d"],
    ["\u001b[31mred\u001b[0m", "red"],
    ["\u001b]0;title\u0007text", "text"],
    ["evil\u202etxt.exe", "eviltxt.exe"],
    ["a\rb\u0008", "ab"],
  ])("%j is %j", (text, line) => {
    expect(oneLine(text)).toBe(line);
  });
});

test("only long ids are shortened", () => {
  expect(shortId("0123456789abcdef".repeat(4))).toBe("0123456789ab");
  expect(shortId("a-message-id-that-somebody-chose-and-that-is-long")).toMatch(/long$/);
});

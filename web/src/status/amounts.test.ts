import { expect, test } from "vitest";
import { countOf, dayName, moneyAmount, timeAmount, tokenAmount } from "./amounts.ts";

test.each([
  [0, "0 ms"],
  [85.4, "85 ms"],
  [1400, "1.4 s"],
  [2000, "2 s"],
  [31_400, "31 s"],
  [150_000, "2.5 min"],
  [10_800_000, "3 h"],
])("%d ms is %s", (ms, words) => {
  expect(timeAmount(ms)).toBe(words);
});

test.each([
  [0, "$0"],
  [0.004, "< $0.01"],
  [0.42, "$0.42"],
  [12, "$12.00"],
  [1234.5, "$1,235"],
])("%d dollars are %s", (dollars, words) => {
  expect(moneyAmount(dollars)).toBe(words);
});

test("large token counts are abbreviated", () => {
  expect(tokenAmount(999)).toBe("999");
  expect(tokenAmount(48_211)).toBe("48.2K");
  expect(tokenAmount(3_000_000)).toBe("3M");
});

test("counts agree with their noun", () => {
  expect(countOf(1, "retry", "retries")).toBe("1 retry");
  expect(countOf(1200, "retry", "retries")).toBe("1,200 retries");
});

test("a day keeps its date whatever the time zone", () => {
  expect(dayName("2026-11-17")).toBe("17 Nov");
  expect(dayName("2026-01-01")).toBe("1 Jan");
});

import { expect, test } from "vitest";
import type { DayTotals } from "waybill/client";
import type { Sums } from "./day-series.ts";
import { daysBetween, isEmpty, rowsOf, sumOf, sumsByLane } from "./day-series.ts";

const none: Sums = { responded: 0, failed: 0, cancelled: 0, retries: 0, tokens: 0, cost: 0 };
const timing = { count: 1, meanMs: 70, p50Ms: 70, p95Ms: 90, maxMs: 95 };

function row(day: string, figures: Partial<DayTotals> = {}): DayTotals {
  return { day, ...none, accept: null, firstToken: null, proof: null, ...figures };
}

test("lists every day of a period, across a month end and a clock change", () => {
  expect(daysBetween("2026-10-24", "2026-10-26")).toEqual(["2026-10-24", "2026-10-25", "2026-10-26"]);
  expect(daysBetween("2028-02-28", "2028-03-01")).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
  expect(daysBetween("2026-11-17", "2026-11-17")).toEqual(["2026-11-17"]);
});

test("fills empty days, without times", () => {
  const stats = {
    ...{ from: "2026-11-15", to: "2026-11-17", days: [] },
    totals: [row("2026-11-16", { responded: 2, accept: timing })],
  };
  expect(rowsOf(stats, null)).toEqual([
    row("2026-11-15"),
    row("2026-11-16", { responded: 2, accept: timing }),
    row("2026-11-17"),
  ]);
});

test("uses the daemon's totals for all lanes, and a lane's own days for one", () => {
  const stats = {
    ...{ from: "2026-11-17", to: "2026-11-17" },
    days: [
      { lane: "demo", ...row("2026-11-17", { responded: 2 }) },
      { lane: "sleepy", ...row("2026-11-17", { responded: 3 }) },
    ],
    totals: [row("2026-11-17", { responded: 5, accept: timing })],
  };
  expect(rowsOf(stats, null).map(({ responded }) => responded)).toEqual([5]);
  expect(rowsOf(stats, "sleepy").map(({ responded }) => responded)).toEqual([3]);
  expect(rowsOf(stats, "unknown")).toEqual([row("2026-11-17")]);
});

test("adds up a period", () => {
  const sums = sumOf([
    { ...none, responded: 1, retries: 2, cost: 0.25 },
    { ...none, responded: 2, failed: 1, tokens: 10, cost: 0.5 },
  ]);
  expect(sums).toEqual({ responded: 3, failed: 1, cancelled: 0, retries: 2, tokens: 10, cost: 0.75 });
});

test("adds up each lane over all days, most expensive first, then busiest", () => {
  const day = (lane: string, date: string, figures: Partial<Sums>) => ({ lane, ...row(date, figures) });
  const sums = sumsByLane({
    days: [
      day("a", "2026-11-16", { responded: 1 }),
      day("b", "2026-11-16", { responded: 4 }),
      day("c", "2026-11-16", { cost: 1 }),
      day("a", "2026-11-17", { responded: 1, retries: 3 }),
    ],
  });
  expect(sums.map(({ lane }) => lane)).toEqual(["c", "b", "a"]);
  expect(sums[2]).toEqual({ lane: "a", ...none, responded: 2, retries: 3 });
});

test("a period is empty when nothing ended and nothing was used", () => {
  expect(isEmpty(none)).toBe(true);
  expect(isEmpty({ ...none, tokens: 1 })).toBe(false);
  expect(isEmpty({ ...none, cancelled: 1 })).toBe(false);
});

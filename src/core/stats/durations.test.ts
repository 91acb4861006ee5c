import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Durations } from "./day-stats.ts";
import { addDurations, bucketOf, quantile, summaryOf, withDuration } from "./day-stats.ts";

const day = 24 * 3600_000;
const anyMs = fc.oneof(fc.integer({ min: 0, max: 30_000 }), fc.integer({ min: 0, max: 30 * day }));
const someMs = fc.array(anyMs, { minLength: 1, maxLength: 60 });

function durationsOf(all: readonly number[]): Durations {
  const durations = all.reduce<Durations | null>((known, ms) => withDuration(known, ms), null);
  if (durations === null) throw new Error("there are none");
  return durations;
}

describe("a bucket", () => {
  it.each([
    [0, 0],
    [9, 0],
    [10, 1],
    [11, 1],
    [12, 2],
    [20, 5],
    [1000, 27],
    [3600_000, 74],
  ])("%i ms fall into bucket %i, in every version", (ms, bucket) => {
    expect(bucketOf(ms)).toBe(bucket);
  });
});

describe("a summary", () => {
  it("of one duration is that duration", () => {
    expect(summaryOf(durationsOf([1234]))).toEqual({ count: 1, meanMs: 1234, p50Ms: 1234, p95Ms: 1234, maxMs: 1234 });
  });

  it("has an exact count, mean and maximum, and estimates for the rest", () => {
    const all = Array.from({ length: 1000 }, (_, index) => (index + 1) * 10);
    const { p50Ms, p95Ms, ...exact } = summaryOf(durationsOf(all));
    expect(exact).toEqual({ count: 1000, meanMs: 5005, maxMs: 10_000 });
    expect(Math.abs(p50Ms - 5000)).toBeLessThan(250);
    expect(Math.abs(p95Ms - 9500)).toBeLessThan(475);
  });

  it("changes only its mean and maximum for a single outlier", () => {
    const { p50Ms, p95Ms, maxMs } = summaryOf(durationsOf([...Array<number>(99).fill(100), day]));
    expect([p50Ms, p95Ms].every((ms) => ms >= 95 && ms < 119)).toBe(true);
    expect(maxMs).toBe(day);
  });
});

describe("a quantile", () => {
  it("is within one bucket of the exact value", () => {
    fc.assert(
      fc.property(someMs, fc.double({ min: 0.01, max: 1, noNaN: true }), (all, q) => {
        const sorted = all.toSorted((one, other) => one - other);
        const exact = sorted[Math.max(1, Math.ceil(q * sorted.length)) - 1] ?? 0;
        const estimate = quantile(durationsOf(all), q);
        // Rounded to milliseconds.
        expect(estimate).toBeLessThanOrEqual(Math.max(10, exact * 1.19) + 1);
        expect(estimate).toBeGreaterThanOrEqual((exact < 10 ? 0 : exact / 1.19) - 1);
      }),
    );
  });

  it("grows with its share, up to the maximum", () => {
    fc.assert(
      fc.property(someMs, (all) => {
        const durations = durationsOf(all);
        const estimates = [0.05, 0.25, 0.5, 0.75, 0.95, 1].map((q) => quantile(durations, q));
        expect(estimates).toEqual(estimates.toSorted((one, other) => one - other));
        expect(estimates.at(-1)).toBe(Math.max(...all));
      }),
    );
  });
});

it("adding two histograms equals one histogram of all durations", () => {
  fc.assert(
    fc.property(someMs, someMs, (one, other) => {
      expect(addDurations(durationsOf(one), durationsOf(other))).toEqual(durationsOf([...one, ...other]));
    }),
  );
  expect(addDurations(null, null)).toBeNull();
  expect(addDurations(durationsOf([5]), null)).toEqual(durationsOf([5]));
});

it("a stored histogram reads back unchanged", () => {
  fc.assert(
    fc.property(someMs, (all) => {
      const durations = durationsOf(all);
      expect(summaryOf(JSON.parse(JSON.stringify(durations)) as Durations)).toEqual(summaryOf(durations));
    }),
  );
});

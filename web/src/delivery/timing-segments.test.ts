import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sharesOf, timingSegments } from "./timing-segments.ts";

const began = Date.UTC(2026, 0, 31, 12);
const at = (ms: number | null) => (ms === null ? null : new Date(began + ms).toISOString());

type Times = { stored?: number; token?: number; finished?: number; proven?: number };

const segments = ({ stored, token, finished, proven }: Times, now: number | null = null) =>
  timingSegments(
    {
      submittedAt: new Date(began).toISOString(),
      storedAt: at(stored ?? null),
      firstTokenAt: at(token ?? null),
      finishedAt: at(finished ?? null),
      provenAt: at(proven ?? null),
    },
    now === null ? null : began + now,
  );

const brief = (...args: Parameters<typeof segments>) =>
  segments(...args).map(({ mark, ms, isOpen }) => `${mark} ${ms}${isOpen ? " so far" : ""}`);

describe("the time of an attempt", () => {
  it("is split from mark to mark", () => {
    expect(brief({ stored: 100, token: 1100, finished: 9000, proven: 9100 })).toEqual([
      "stored 100",
      "first_token 1000",
      "finished 7900",
      "proven 100",
    ]);
    expect(segments({ stored: 100, token: 1100 }).map(({ afterMs }) => afterMs)).toEqual([100, 1100]);
  });

  it("skips marks that were never seen", () => {
    expect(brief({ finished: 500 })).toEqual(["finished 500"]);
  });

  it("is in chronological order, even if the proof came before the end of the turn", () => {
    expect(brief({ stored: 10, proven: 300, finished: 900 })).toEqual(["stored 10", "proven 290", "finished 600"]);
  });

  it("never starts before the submission, whatever an agent program's clock says", () => {
    expect(brief({ stored: -50, token: 200 })).toEqual(["stored 0", "first_token 200"]);
  });

  it("continues until now while something is expected", () => {
    expect(brief({}, 700)).toEqual(["stored 700 so far"]);
    expect(brief({ stored: 100 }, 700)).toEqual(["stored 100", "first_token 600 so far"]);
    expect(brief({ token: 100, finished: 400 }, 700)).toEqual(["first_token 100", "finished 300", "proven 300 so far"]);
    expect(brief({ finished: 400, proven: 500 }, 700)).toEqual(["finished 400", "proven 100"]);
  });

  it("does not run backwards when the browser's clock is behind", () => {
    expect(brief({ stored: 100 }, -5000)).toEqual(["stored 100", "first_token 0 so far"]);
  });

  it("is empty when nothing is known", () => {
    expect(segments({})).toEqual([]);
  });
});

describe("the shares of the bar", () => {
  it("are in proportion", () => {
    expect(sharesOf([250, 750])).toEqual([25, 75]);
  });

  it("are equal if no time passed", () => {
    expect(sharesOf([0, 0])).toEqual([50, 50]);
  });

  it("fill the bar, with every part visible", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(10_000_000), { minLength: 1, maxLength: 4 }), (values) => {
        const shares = sharesOf(values);
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(100);
        expect(Math.min(...shares)).toBeGreaterThan(1.8);
      }),
    );
  });
});

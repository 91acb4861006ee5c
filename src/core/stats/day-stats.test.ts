import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anyEvent } from "../../../test/support/core/arbitrary-events.ts";
import {
  accepted,
  cancelled,
  failedForGood,
  proven,
  retriedByPerson,
  seen,
} from "../../../test/support/core/deliveries.ts";
import { aRecord, having, submitEvent } from "../../../test/support/core/records.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { transition } from "../delivery/transition.ts";
import type { DayStats, DayStatsChange } from "./day-stats.ts";
import { addStats, changedDays, changedStats, dayStatsChange, noStats, usageIncrease } from "./day-stats.ts";

const morning = new Date(2026, 2, 28, 9).getTime();
const nextMorning = new Date(2026, 2, 29, 9).getTime();
const admitted = aRecord({ createdAt: morning });
const sent = having(admitted, submitEvent(1, morning + 10), accepted(1, morning + 20));
const failed = having(sent, failedForGood(morning + 5000));
const timing = {
  number: 1,
  storedAt: morning + 15,
  firstTokenAt: morning + 400,
  lastActivityAt: null,
  finishedAt: null,
};
const timed = { ...seen("responded_plain_text"), timings: [timing] };
const answered = having(sent, proven({ at: morning + 3000, observed: timed }));

const failure = { day: "2026-03-28", laneId: "lane", outcome: "failed", retries: 0, times: null };

describe("a day's statistics", () => {
  it("do not change while a delivery is open", () => {
    expect(dayStatsChange(admitted, sent)).toBeNull();
  });

  it("count an answered delivery at its end, with the times since its admission", () => {
    expect(dayStatsChange(sent, answered)).toEqual({
      removed: null,
      added: {
        ...{ day: "2026-03-28", laneId: "lane", outcome: "responded", retries: 0 },
        times: { acceptMs: 15, firstTokenMs: 400, proofMs: 3000 },
      },
    });
  });

  it("count a delivery once, whatever happens to it after its end", () => {
    const later = having(having(sent, proven({ at: morning + 3000, turnEnded: false })), {
      type: "turn_ended",
      at: nextMorning,
    });
    expect(dayStatsChange(answered, later)).toBeNull();
  });

  it("use the time of acceptance if the agent program does not report when it stored the prompt", () => {
    const untimed = having(sent, proven({ at: morning + 3000 }));
    expect(dayStatsChange(sent, untimed)?.added?.times).toEqual({ acceptMs: 20, firstTokenMs: null, proofMs: 3000 });
  });

  it("contain no time before the admission, whatever the agent program's clock says", () => {
    const early = { ...timing, storedAt: morning - 5, firstTokenAt: morning - 1 };
    const observed = { ...timed, timings: [early] };
    const { added } = dayStatsChange(sent, having(sent, proven({ at: morning + 3000, observed }))) ?? {};
    expect(added?.times).toEqual({ acceptMs: 0, firstTokenMs: 0, proofMs: 3000 });
  });

  it("belong to the day of the end, and count attempts beyond the first, including repairs", () => {
    const repaired: DeliveryRecord = { ...sent, attempts: 2, repairs: 1 };
    const change = dayStatsChange(repaired, having(repaired, failedForGood(nextMorning)));
    expect(change).toEqual({ removed: null, added: { ...failure, day: "2026-03-29", retries: 2 } });
  });

  it("count no retry for a delivery that was never sent", () => {
    const withdrawn = having(admitted, cancelled(morning + 1));
    expect(dayStatsChange(admitted, withdrawn)?.added).toEqual({ ...failure, outcome: "cancelled" });
  });
});

describe("a failed delivery", () => {
  it("counts as answered, on the later day, when it is proven late", () => {
    const change = dayStatsChange(failed, having(failed, proven({ at: nextMorning })));
    expect(change).toMatchObject({ removed: failure, added: { day: "2026-03-29", outcome: "responded" } });
  });

  it("is not counted while a person's retry runs, and then counts by its new outcome", () => {
    const retried = having(failed, retriedByPerson(nextMorning));
    expect(dayStatsChange(failed, retried)).toEqual({ removed: failure, added: null });
    const again = having(retried, submitEvent(2, nextMorning), failedForGood(nextMorning + 1));
    expect(dayStatsChange(retried, again)).toEqual({
      removed: null,
      added: { ...failure, day: "2026-03-29", retries: 1 },
    });
  });
});

function after(stats: Map<string, DayStats>, change: DayStatsChange): void {
  for (const changed of changedStats([...stats.values()], change)) stats.set(changed.day, changed);
}

it("a delivery counts once, by its final state, whatever happened before", () => {
  const anyRun = fc.array(anyEvent("a"), { minLength: 1, maxLength: 80, size: "max" });
  const outcomeOf = { responded: "responded", failed_terminal: "failed", cancelled: "cancelled" } as const;
  const reached = new Set<string>();
  fc.assert(
    fc.property(anyRun, (run) => {
      const stats = new Map<string, DayStats>();
      let record = aRecord({}, { maxAttempts: 3, maxRepairs: 2 });
      for (const event of run) {
        const moved = transition(record, event);
        if ("refused" in moved) continue;
        const change = dayStatsChange(record, moved.record);
        const days = [change?.removed, change?.added].flatMap((end) => (end ? [end.day] : []));
        expect(changedDays(record, [event])).toEqual(expect.arrayContaining(days));
        if (change) after(stats, change);
        if (change?.removed) reached.add(`moved to ${moved.record.status}`);
        record = moved.record;
      }
      const { responded, failed, cancelled, retries } = [...stats.values()].reduce(addStats, noStats);
      const ended = record.status in outcomeOf;
      const counted = { responded: 0, failed: 0, cancelled: 0 };
      if (ended) counted[outcomeOf[record.status as keyof typeof outcomeOf]] = 1;
      expect({ responded, failed, cancelled }).toEqual(counted);
      expect(retries).toBe(ended ? Math.max(0, record.attempts + record.repairs - 1) : 0);
    }),
    { numRuns: 500 },
  );
  expect([...reached].sort()).toEqual(["moved to cancelled", "moved to pending", "moved to responded"]);
});

it("days of several lanes are added up", () => {
  const { added } = dayStatsChange(sent, answered) ?? {};
  if (!added) throw new Error("it was not counted");
  const used = { ...noStats, day: added.day, laneId: "lane", tokens: 10, cost: 0.25 };
  const [one = used] = changedStats([used], { removed: null, added });
  expect(addStats(one, addStats(one, noStats))).toMatchObject({
    ...{ responded: 2, failed: 0, cancelled: 0, retries: 0, tokens: 20, cost: 0.5 },
    ...{ accept: { sumMs: 30 }, firstToken: { maxMs: 400 }, proof: { sumMs: 6000 } },
  });
});

it("removing a failure that was never counted leaves no negative counts", () => {
  const { added } = dayStatsChange(sent, failed) ?? {};
  if (!added) throw new Error("it was not counted");
  const none = { ...noStats, day: added.day, laneId: "lane" };
  const removed = { ...added, retries: 2 };
  expect(changedStats([none], { removed, added: null })).toEqual([none]);
  expect(changedStats([], { removed, added: null })).toEqual([]);
});

describe("the usage of a message", () => {
  const seenNow = { messageId: "m1", day: "2026-03-29", tokens: 30, cost: 0.5 };

  it("counts in full at first, and then only the increase", () => {
    expect(usageIncrease(null, seenNow, "")).toEqual({ day: "2026-03-29", tokens: 30, cost: 0.5 });
    const known = { day: "2026-03-28", tokens: 10, cost: 0.75 };
    expect(usageIncrease(known, seenNow, "")).toEqual({ day: "2026-03-28", tokens: 20, cost: 0 });
  });

  it("does not count again on a day whose messages are no longer known", () => {
    expect(usageIncrease(null, seenNow, "2026-03-30")).toBeNull();
    expect(usageIncrease(null, seenNow, "2026-03-29")).not.toBeNull();
    expect(usageIncrease({ day: "2026-03-28", tokens: 1, cost: 0 }, seenNow, "2026-03-29")).toBeNull();
  });
});

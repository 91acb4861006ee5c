import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aRecord, having, submitEvent } from "../../../test/support/records.ts";
import { aLane } from "../../../test/support/waybill.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { openStatuses, statuses } from "../delivery/record.ts";
import type { Lane } from "../lane/lane.ts";
import { sources } from "../message/message.ts";
import type { StopInput } from "./stop.ts";
import { decideStop } from "./stop.ts";

const lane: Lane = { ...aLane(), pausedReason: null, teamHold: null, sessionId: "ses-1", generation: 1, version: 1 };
const waiting = (id: string, source: DeliveryRecord["source"] = "ui") => ({ ...aRecord({ id, source }), id });
const holding = (status: DeliveryRecord["status"], more: Partial<DeliveryRecord> = {}): DeliveryRecord => ({
  ...having(aRecord(), submitEvent(1, 1000)),
  id: "held",
  status,
  ...more,
});
const stop = (given: Partial<StopInput>) =>
  decideStop({ lane, holder: null, waiting: [], alsoWaiting: null, now: 2000, ...given });

describe("a stop", () => {
  test("cancels what is about to be sent", () => {
    expect(stop({ waiting: [waiting("one"), waiting("two")] })).toEqual({ cancel: ["one"], endFollowUp: null });
  });

  test.each(openStatuses)("cancels what is %s, and leaves what waits behind it", (status) => {
    expect(stop({ holder: holding(status), waiting: [waiting("one")] }).cancel).toEqual(["held"]);
  });

  test("leaves what has ended, whose turn is stopped all the same", () => {
    for (const status of ["responded", "cancelled"] as const) {
      expect(stop({ holder: holding(status), waiting: [waiting("one")] })).toEqual({ cancel: [], endFollowUp: null });
    }
  });

  test("has nothing more asked about what was answered", () => {
    const nextAttempt = { kind: "summary", spends: "follow_ups", freshSession: false } as const;
    expect(stop({ holder: holding("responded", { nextAttempt }) })).toEqual({ cancel: [], endFollowUp: "held" });
  });

  test("leaves what nothing would be done with: a paused lane's messages, and one that has expired", () => {
    expect(stop({ lane: { ...lane, pausedReason: "lunch" }, waiting: [waiting("one")] }).cancel).toEqual([]);
    expect(stop({ waiting: [{ ...waiting("one"), expiresAt: 1500 }] }).cancel).toEqual([]);
  });

  test("of a resting lane cancels nothing", () => {
    expect(stop({})).toEqual({ cancel: [], endFollowUp: null });
  });
});

describe("a stop that is also for what waits", () => {
  test("cancels what came the same way, the newest first, and leaves the rest", () => {
    const behind = [waiting("one"), waiting("by mail", "mcp"), waiting("two")];
    const cancel = ["two", "one", "held"];
    expect(stop({ holder: holding("accepted"), waiting: behind, alsoWaiting: "ui" }).cancel).toEqual(cancel);
  });

  test("cancels it also when what holds the lane was stopped before, or when the lane is paused", () => {
    const behind = [waiting("one")];
    expect(stop({ holder: holding("cancelled"), waiting: behind, alsoWaiting: "ui" }).cancel).toEqual(["one"]);
    const paused = { ...lane, pausedReason: "lunch" };
    expect(stop({ lane: paused, waiting: behind, alsoWaiting: "ui" }).cancel).toEqual(["one"]);
  });
});

test("whatever a lane holds, each delivery is cancelled once at most, and only what has not ended", () => {
  const anyWaiting = fc.array(fc.constantFrom(...sources), { maxLength: 5 });
  fc.assert(
    fc.property(
      fc.option(fc.constantFrom(...statuses.filter((status) => status !== "pending"))),
      anyWaiting,
      fc.option(fc.constantFrom(...sources)),
      (status, behind, alsoWaiting) => {
        const holder = status && holding(status);
        const records = behind.map((source, index) => waiting(`m${index}`, source));
        const { cancel } = stop({ holder, waiting: records, alsoWaiting });
        expect(new Set(cancel).size).toBe(cancel.length);
        const open = [...records, ...(holder && openStatuses.includes(holder.status) ? [holder] : [])];
        expect(open.map(({ id }) => id)).toEqual(expect.arrayContaining([...cancel]));
        // Whatever the lane works on, or would send next, is among them.
        const current = holder ?? records[0];
        if (current && open.includes(current)) expect(cancel.at(-1)).toBe(current.id);
      },
    ),
  );
});

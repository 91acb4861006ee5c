import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aRecord, having, submitEvent } from "../../../test/support/core/records.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { openStatuses, statuses } from "../delivery/record.ts";
import type { Lane } from "../lane/lane.ts";
import { sources } from "../message/message.ts";
import type { StopInput } from "./submission.ts";
import { decideStop } from "./submission.ts";

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
  test("cancels the message about to be sent", () => {
    expect(stop({ waiting: [waiting("one"), waiting("two")] })).toEqual({ cancel: ["one"], endFollowUp: null });
  });

  test.each(openStatuses)("cancels a delivery that is %s, and leaves those queued behind it", (status) => {
    expect(stop({ holder: holding(status), waiting: [waiting("one")] }).cancel).toEqual(["held"]);
  });

  test("leaves an ended delivery, whose turn is stopped anyway", () => {
    for (const status of ["responded", "cancelled"] as const) {
      expect(stop({ holder: holding(status), waiting: [waiting("one")] })).toEqual({ cancel: [], endFollowUp: null });
    }
  });

  test("ends the follow-up of an answered delivery", () => {
    const nextAttempt = { kind: "summary", spends: "follow_ups", freshSession: false } as const;
    expect(stop({ holder: holding("responded", { nextAttempt }) })).toEqual({ cancel: [], endFollowUp: "held" });
  });

  test("leaves messages that would not be sent: those in a paused lane, and an expired one", () => {
    expect(stop({ lane: { ...lane, pausedReason: "lunch" }, waiting: [waiting("one")] }).cancel).toEqual([]);
    expect(stop({ waiting: [{ ...waiting("one"), expiresAt: 1500 }] }).cancel).toEqual([]);
  });

  test("of an idle lane cancels nothing", () => {
    expect(stop({})).toEqual({ cancel: [], endFollowUp: null });
  });
});

describe("a stop that includes waiting messages", () => {
  test("cancels those from the same source, newest first, and leaves the rest", () => {
    const behind = [waiting("one"), waiting("by mail", "mcp"), waiting("two")];
    const cancel = ["two", "one", "held"];
    expect(stop({ holder: holding("accepted"), waiting: behind, alsoWaiting: "ui" }).cancel).toEqual(cancel);
  });

  test("cancels them even if the current message was already stopped, or the lane is paused", () => {
    const behind = [waiting("one")];
    expect(stop({ holder: holding("cancelled"), waiting: behind, alsoWaiting: "ui" }).cancel).toEqual(["one"]);
    const paused = { ...lane, pausedReason: "lunch" };
    expect(stop({ lane: paused, waiting: behind, alsoWaiting: "ui" }).cancel).toEqual(["one"]);
  });
});

test("a stop cancels each delivery at most once, and only those that have not ended", () => {
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
        // The delivery that the lane works on, or would send next, is among them.
        const current = holder ?? records[0];
        if (current && open.includes(current)) expect(cancel.at(-1)).toBe(current.id);
      },
    ),
  );
});

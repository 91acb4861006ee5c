import { describe, expect, test } from "vitest";
import { aRecord } from "../../../test/support/records.ts";
import { aLane } from "../../../test/support/waybill.ts";
import type { OutlookInput } from "./outlook.ts";
import { outlook } from "./outlook.ts";
import type { DeliveryRecord } from "./record.ts";
import { statuses } from "./record.ts";

const lane = { ...aLane(), pausedReason: null, teamHold: null, sessionId: null, generation: 0, version: 1 };
const look = (change: Partial<DeliveryRecord>, more: Partial<OutlookInput> = {}) =>
  outlook({ record: { ...aRecord(), ...change }, lane, queuedBehind: null, waitReason: null, ...more });

describe("what happens next", () => {
  test.each([
    ["a fresh one is sent", {}, {}, "sends"],
    ["one in a queue waits for the message before it", {}, { queuedBehind: "m0" }, "waits_in_line"],
    ["a paused lane waits", {}, { lane: { ...lane, pausedReason: "lunch" } }, "waits_while_paused"],
    ["a runtime that is not there is waited for", {}, { waitReason: "runtime_not_active" }, "waits_for_runtime"],
    ["a busy session is waited for", {}, { waitReason: "session_busy" }, "sends"],
    ["without its lane nothing happens", {}, { lane: null }, "nothing"],
    ["an accepted one is looked at", { status: "accepted", nextReconcileAt: 5 }, {}, "looks"],
    [
      "a permission waits for a person",
      { status: "accepted", responseState: "permission_blocked" },
      {},
      "waits_for_person",
    ],
    [
      "a question waits for a person",
      { status: "accepted", responseState: "question_blocked" },
      {},
      "waits_for_person",
    ],
    ["a scheduled retry is asked again", { status: "retry_scheduled", nextReconcileAt: 5 }, {}, "asks_again"],
    [
      "a scheduled retry in a paused lane waits",
      { status: "retry_scheduled" },
      { lane: { ...lane, pausedReason: "lunch" } },
      "waits_while_paused",
    ],
    [
      "a failure may still find late proof",
      { status: "failed_terminal", nextReconcileAt: 5 },
      {},
      "looks_for_late_proof",
    ],
    ["a failure is left to people", { status: "failed_terminal", nextReconcileAt: null }, {}, "nothing"],
    ["an owed read is written", { status: "responded", readCommittedAt: null }, {}, "commits_read"],
    ["an owed turn end is looked for", { status: "responded", readCommittedAt: 1, turnEndedAt: null }, {}, "looks"],
    [
      "a turn that goes on after the answer may wait for a person, too",
      { status: "responded", readCommittedAt: 1, turnEndedAt: null, responseState: "permission_blocked" },
      {},
      "waits_for_person",
    ],
    ["what is over is over", { status: "responded", readCommittedAt: 1, turnEndedAt: 1 }, {}, "nothing"],
  ] satisfies [string, Partial<DeliveryRecord>, Partial<OutlookInput>, string][])("%s", (_, change, more, next) => {
    expect(look(change, more).next).toBe(next);
  });

  test("says when, where that is known", () => {
    expect(look({ status: "accepted", nextReconcileAt: 5 }).at).toBe(5);
  });

  test.each(statuses)("has a whole sentence for people when a delivery is %s", (status) => {
    expect(look({ status }).words).toMatch(/^[A-Z].*\.$/);
  });
});

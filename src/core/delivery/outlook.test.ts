import { describe, expect, test } from "vitest";
import { aRecord } from "../../../test/support/core/records.ts";
import { aLane } from "../../../test/support/daemon/waybill.ts";
import type { OutlookInput } from "./outlook.ts";
import { outlook } from "./outlook.ts";
import type { DeliveryRecord } from "./record.ts";
import { statuses } from "./record.ts";

const lane = { ...aLane(), pausedReason: null, teamHold: null, sessionId: null, generation: 0, version: 1 };
const look = (change: Partial<DeliveryRecord>, more: Partial<OutlookInput> = {}) =>
  outlook({ record: { ...aRecord(), ...change }, lane, queuedBehind: null, waitReason: null, ...more });

describe("what happens next", () => {
  test.each([
    ["a new delivery is sent", {}, {}, "sends"],
    [
      "a queued delivery waits for the message before it",
      {},
      { queuedBehind: { messageId: "m0", needs: null } },
      "waits_in_line",
    ],
    ["a delivery in a paused lane waits", {}, { lane: { ...lane, pausedReason: "lunch" } }, "waits_while_paused"],
    [
      "a delivery waits for a runtime that is not running",
      {},
      { waitReason: "runtime_not_active" },
      "waits_for_runtime",
    ],
    ["a delivery waits for a busy session", {}, { waitReason: "session_busy" }, "sends"],
    ["nothing happens without its lane", {}, { lane: null }, "nothing"],
    ["an accepted delivery is reconciled", { status: "accepted", nextReconcileAt: 5 }, {}, "looks"],
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
    ["a scheduled retry asks again", { status: "retry_scheduled", nextReconcileAt: 5 }, {}, "asks_again"],
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
    [
      "a failure without further reconciles is left to people",
      { status: "failed_terminal", nextReconcileAt: null },
      {},
      "nothing",
    ],
    ["an owed read is committed", { status: "responded", readCommittedAt: null }, {}, "commits_read"],
    [
      "a delivery that owes the end of its turn is reconciled",
      { status: "responded", readCommittedAt: 1, turnEndedAt: null },
      {},
      "looks",
    ],
    [
      "a turn that continues after the answer may also wait for a person",
      { status: "responded", readCommittedAt: 1, turnEndedAt: null, responseState: "permission_blocked" },
      {},
      "waits_for_person",
    ],
    [
      "nothing happens to a closed delivery",
      { status: "responded", readCommittedAt: 1, turnEndedAt: 1 },
      {},
      "nothing",
    ],
  ] satisfies [string, Partial<DeliveryRecord>, Partial<OutlookInput>, string][])("%s", (_, change, more, next) => {
    expect(look(change, more).next).toBe(next);
  });

  test("includes the time if it is known", () => {
    expect(look({ status: "accepted", nextReconcileAt: 5 }).at).toBe(5);
  });

  test.each(statuses)("has a whole sentence for people when a delivery is %s", (status) => {
    expect(look({ status }).words).toMatch(/^[A-Z].*\.$/);
  });
});

test("only a prompt whose send failed is said to be unknown or unsent", () => {
  const unconfirmed = { acceptanceUnknown: true, acceptedAt: null };
  expect(look({ status: "submitting", ...unconfirmed }).words).toMatch(/^It is being sent/);
  expect(look({ status: "failed_retryable", ...unconfirmed }).words).toMatch(
    /^It is unknown whether the prompt arrived/,
  );
  const known = { status: "failed_retryable", acceptanceUnknown: false } as const;
  expect(look({ ...known, acceptedAt: null }).words).toMatch(/^The prompt was not sent/);
  expect(look({ ...known, acceptedAt: 5 }).words).toMatch(/^This attempt failed/);
});

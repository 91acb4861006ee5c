import { describe, expect, test } from "vitest";
import { aRecord, having, submitEvent } from "../../../test/support/core/records.ts";
import type { SubmitOutcome } from "../delivery/attempt.ts";
import { defaultPolicy } from "../delivery/policy.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import type { Ask, TranscriptSlice } from "../transcript/transcript.ts";
import type { BlockedSession } from "./submission.ts";
import { decideSession, resultOfStopped, watchBlocked } from "./submission.ts";

const sessionId = "ses-1";
const busy: TranscriptSlice = {
  sessionId,
  status: "busy",
  asks: [],
  rows: [],
  complete: true,
  lastActivityAt: 500,
};
const quiet: BlockedSession = {
  quietMs: defaultPolicy.stuckAfterMs,
  activityAt: 500,
  lastObservedAt: 1000,
  aborts: 0,
};
const decision = (blocked: Partial<BlockedSession>, record: DeliveryRecord = aRecord()) =>
  decideSession({ record, slice: busy, blocked: { ...quiet, ...blocked }, policy: defaultPolicy });

describe("a busy session that blocks a message", () => {
  test("makes the message wait while it shows activity, however often it was aborted before", () => {
    expect(decision({ quietMs: 0 })).toEqual({ do: "wait", reason: "session_busy" });
    expect(decision({ quietMs: 0, aborts: 2 })).toEqual({ do: "wait", reason: "session_busy" });
  });

  test("is aborted twice when it is stuck, and then abandoned", () => {
    expect([0, 1, 2, 3].map((aborts) => decision({ aborts }).do)).toEqual([
      "abort_and_replace",
      "abort_and_replace",
      "leave_and_replace",
      "leave_and_replace",
    ]);
  });

  test("is aborted twice when the delivery needs a fresh session, and then abandoned", () => {
    const sent = having(aRecord(), submitEvent(1, 1000));
    const record: DeliveryRecord = {
      ...sent,
      status: "retry_scheduled",
      nextAttempt: { kind: "retry", spends: "repairs", freshSession: true },
    };
    expect([0, 1, 2].map((aborts) => decision({ quietMs: 0, aborts }, record).do)).toEqual([
      "abort_and_replace",
      "abort_and_replace",
      "leave_and_replace",
    ]);
  });

  test("is neither aborted nor abandoned for a follow-up, nor while it waits for an ask", () => {
    const record: DeliveryRecord = { ...aRecord(), status: "responded", runtimeSessionId: sessionId };
    expect(decision({ aborts: 2 }, record)).toEqual({ do: "wait", reason: "session_busy" });
    const ask: Ask = { id: "a", kind: "permission", title: "May I?", sessionId, askedAt: null };
    const slice = { ...busy, asks: [ask] };
    const given = { record: aRecord(), slice, blocked: { ...quiet, aborts: 2 }, policy: defaultPolicy };
    expect(decideSession(given)).toEqual({ do: "wait", reason: "ask_pending" });
  });

  test("keeps its abort count from one read to the next", () => {
    expect(watchBlocked(undefined, busy, 2000)).toMatchObject({ quietMs: 0, aborts: 0 });
    expect(watchBlocked({ ...quiet, aborts: 2 }, busy, 2000)).toMatchObject({
      quietMs: quiet.quietMs + 1000,
      aborts: 2,
    });
    expect(watchBlocked({ ...quiet, aborts: 2 }, { ...busy, lastActivityAt: 1500 }, 2000)).toMatchObject({
      quietMs: 0,
      aborts: 2,
    });
  });
});

describe("a request whose delivery was stopped while it was in flight", () => {
  const cancelled = { type: "cancelled", by: "ada", reason: "stopped_by_person", readCommitted: true } as const;
  const sending = having(aRecord(), submitEvent(1, 1000));
  const stopped = having(sending, { ...cancelled, at: 1100, reconcileAt: 1100 });
  const [attempt] = stopped.attemptList;
  if (!attempt) throw new Error("nothing was sent");
  const result = (outcome: SubmitOutcome, sends = 1, record = stopped) =>
    resultOfStopped(record, { ...attempt, sends }, outcome, 1200);

  test("ends the delivery if it did not leave", () => {
    const ended = result({ outcome: "not_sent", reason: "stopped" });
    expect(ended).toMatchObject({ type: "turn_ended" });
    if (ended) expect(having(stopped, ended)).toMatchObject({ status: "cancelled", turnEndedAt: 1200 });
    expect(result({ outcome: "refused", reason: "no such agent" })).toMatchObject({ type: "turn_ended" });
  });

  test("is recorded as arrived and reconciled immediately", () => {
    const arrived = result({ outcome: "accepted" });
    expect(arrived).toMatchObject({ type: "reconciled", found: true, reconcileAt: 1200 });
    if (arrived) expect(having(stopped, arrived)).toMatchObject({ acceptanceUnknown: false, turnEndedAt: null });
  });

  test("decides nothing if its outcome, or that of an earlier send with the same ids, is unknown", () => {
    expect(result({ outcome: "unknown", reason: "reset" })).toBeNull();
    expect(result({ outcome: "not_sent", reason: "stopped" }, 2)).toBeNull();
  });

  test("decides nothing if the delivery was not stopped", () => {
    expect(result({ outcome: "accepted" }, 1, sending)).toBeNull();
  });
});

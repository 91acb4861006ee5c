import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { anyEvent } from "../../../test/support/core/arbitrary-events.ts";
import { anAttempt, aRecord, having, submitEvent } from "../../../test/support/core/records.ts";
import { isFollowUp, untimed } from "./attempt.ts";
import type { DeliveryEvent, DeliveryEventType } from "./delivery-event.ts";
import type { DeliveryRecord, Status } from "./record.ts";
import { isOutstanding, statuses } from "./record.ts";
import { brokenRules } from "./record-rules.ts";
import type { Transitioned } from "./transition.ts";
import { eventTypes, fold, transition } from "./transition.ts";

const observed = {
  state: "empty_assistant_turn" as const,
  deliveredUserMessageId: "msg-1",
  assistantMessageId: "row-1",
  toolNames: ["read"],
  newestRowId: "row-1",
  lastActivityAt: 5,
  diagnostics: [],
};
const proof = { by: "plain_text" as const, visibleReply: null };
const events = {
  submit: submitEvent(1, 10),
  attempts_searched: {
    type: "attempts_searched",
    at: 10,
    runtimeKind: "stub",
    found: [{ ...untimed, ...anAttempt(1), sends: 1, left: true, submittedAt: 5 }],
    reconcileAt: 99,
  },
  accepted: { type: "accepted", at: 20, number: 1, reconcileAt: 99 },
  acceptance_unknown: { type: "acceptance_unknown", at: 20, reason: "timeout", reconcileAt: 99 },
  not_sent: { type: "not_sent", at: 20, reason: "down", reconcileAt: 99 },
  reconciled: { type: "reconciled", at: 30, observed, reason: null, found: true, missed: false, reconcileAt: 99 },
  missed: { type: "reconciled", at: 30, observed, reason: null, found: false, missed: true, reconcileAt: 99 },
  send_again: { type: "send_again", at: 40, number: 1, reconcileAt: 99 },
  unanswered: { type: "unanswered", at: 40, reason: "no_response", observed, reconcileAt: 99 },
  failed_retryable: { type: "failed_retryable", at: 40, reason: "error", observed, reconcileAt: 99 },
  retry: {
    type: "retry_scheduled",
    at: 50,
    next: { kind: "retry", spends: "attempts", freshSession: false },
    reconcileAt: 99,
  },
  failed_terminal: { type: "failed_terminal", at: 60, reason: "no_response", observed, reconcileAt: null },
  proven: {
    type: "proven",
    at: 70,
    proof,
    observed,
    turnEnded: true,
    readCommitted: true,
    diagnostics: [],
    reconcileAt: 99,
  },
  files_checked: { type: "files_checked", at: 75, missing: ["a.txt"], next: null, reconcileAt: 99 },
  submit_follow_up: {
    type: "submit_follow_up",
    at: 75,
    attempt: anAttempt(2, { kind: "summary", spends: "follow_ups" }),
    runId: "run",
    reconcileAt: 99,
  },
  rescheduled: { type: "rescheduled", at: 15, reconcileAt: 98, filesUntil: null },
  turn_ended: { type: "turn_ended", at: 80 },
  read_committed: { type: "read_committed", at: 80, diagnostics: [] },
  read_commit_failed: { type: "read_commit_failed", at: 80, error: "disk", reconcileAt: 99 },
  cancelled: {
    type: "cancelled",
    at: 80,
    by: "ada",
    reason: "stopped_by_person",
    readCommitted: true,
    reconcileAt: 99,
  },
  withdrawn: { type: "withdrawn", at: 80, by: "ada", reason: "withdrawn", readCommitted: true, reconcileAt: 99 },
  retried_by_person: { type: "retried_by_person", at: 90, by: "ada", budget: 3 },
} satisfies Record<string, DeliveryEvent>;

const pending = aRecord();
const submitting = having(pending, events.submit);
const accepted = having(submitting, events.accepted);
const unanswered = having(accepted, events.unanswered);
const retryScheduled = having(unanswered, events.retry);
const failedRetryable = having(submitting, events.acceptance_unknown);
const failedTerminal = having(unanswered, events.failed_terminal);
const owed = having(accepted, { ...events.proven, turnEnded: false, readCommitted: false });
const responded = having(accepted, events.proven);
const cancelled = having(accepted, events.cancelled);

describe("the transition table: the states that accept each event", () => {
  const inState: Record<Status, DeliveryRecord> = {
    pending,
    submitting,
    accepted,
    unanswered,
    retry_scheduled: retryScheduled,
    failed_retryable: failedRetryable,
    failed_terminal: failedTerminal,
    responded: owed,
    cancelled,
  };
  const open: Status[] = ["submitting", "accepted", "unanswered", "retry_scheduled", "failed_retryable"];
  const ends: Status[] = ["responded", "cancelled"];
  const table: Record<DeliveryEventType, { event: DeliveryEvent; from: Status[] }> = {
    admitted: { event: { type: "admitted", at: 1, record: pending }, from: [] },
    rebuilt: { event: { type: "rebuilt", at: 1, record: pending }, from: [] },
    attempts_searched: { event: events.attempts_searched, from: ["pending"] },
    submit: { event: events.submit, from: ["pending"] },
    send_again: { event: events.send_again, from: [] },
    accepted: { event: events.accepted, from: ["submitting"] },
    acceptance_unknown: { event: events.acceptance_unknown, from: ["submitting"] },
    not_sent: { event: events.not_sent, from: ["submitting"] },
    reconciled: { event: events.reconciled, from: [...open, "failed_terminal", ...ends] },
    proven: { event: events.proven, from: [...open, "failed_terminal"] },
    files_checked: { event: events.files_checked, from: [] },
    submit_follow_up: { event: events.submit_follow_up, from: [] },
    unanswered: { event: events.unanswered, from: ["accepted"] },
    failed_retryable: { event: events.failed_retryable, from: ["submitting", "accepted", "failed_retryable"] },
    failed_terminal: { event: events.failed_terminal, from: ["pending", ...open] },
    retry_scheduled: { event: events.retry, from: ["unanswered", "failed_retryable"] },
    // In this table nothing is scheduled for a delivery that failed for good.
    rescheduled: { event: events.rescheduled, from: [...open, ...ends] },
    turn_ended: { event: events.turn_ended, from: ends },
    read_committed: { event: events.read_committed, from: ["responded"] },
    read_commit_failed: { event: events.read_commit_failed, from: ["responded"] },
    cancelled: { event: events.cancelled, from: ["pending", ...open, "failed_terminal"] },
    // In this table nothing is held.
    released: { event: { type: "released", at: 1, by: "user" }, from: [] },
    withdrawn: { event: events.withdrawn, from: ["pending"] },
    retried_by_person: { event: events.retried_by_person, from: ["failed_terminal"] },
  };

  test.each(eventTypes)("%s", (type) => {
    const { event, from } = table[type];
    const taken = statuses.filter((status) => !("refused" in transition(inState[status], event)));
    expect(taken.toSorted()).toEqual(from.toSorted());
  });
});

describe("submitting", () => {
  test("is the write-ahead step: the attempt is in the record before the send effect exists", () => {
    const moved = transition(pending, events.submit);
    expect(moved).toMatchObject({
      record: { status: "submitting", attempts: 1, acceptanceUnknown: true, attemptList: [{ messageId: "msg-1" }] },
      effects: [{ type: "send", attempt: { messageId: "msg-1", sends: 1 } }],
    });
  });

  test("attempts are counted when a prompt is about to be sent, and only then", () => {
    const looked = having(accepted, events.reconciled, events.reconciled, events.reconciled);
    expect(looked.attempts).toBe(1);
    expect(having(retryScheduled, submitEvent(2, 100)).attempts).toBe(2);
  });

  test("a repair spends repairs, never attempts", () => {
    const next = { kind: "retry", spends: "repairs", freshSession: true } as const;
    const repaired = having(
      failedRetryable,
      { ...events.retry, next },
      submitEvent(2, 100, { spends: "repairs", sessionId: "ses-2", generation: 2 }),
    );
    expect(repaired).toMatchObject({ attempts: 1, repairs: 1, runtimeSessionId: "ses-2" });
  });

  test.each([
    ["a number out of order", submitEvent(3, 100), "attempt_number_out_of_order"],
    ["another budget than the scheduled one", submitEvent(2, 100, { spends: "repairs" }), "not_the_scheduled_attempt"],
    ["another runtime", { ...submitEvent(2, 100), runtimeKind: "pi" } as DeliveryEvent, "runtime_identity_changed"],
  ])("%s is refused", (_, event, reason) => {
    expect(transition(retryScheduled, event)).toEqual({ refused: true, reason });
  });

  test("no attempt is made beyond the budget", () => {
    const spent = { ...unanswered, attempts: 3, maxAttempts: 3 };
    expect(transition(spent, events.retry)).toEqual({ refused: true, reason: "no_attempts_left" });
    const scheduled = { ...retryScheduled, attempts: 3, maxAttempts: 3 };
    expect(transition(scheduled, submitEvent(2, 100))).toEqual({ refused: true, reason: "no_attempts_left" });
  });
});

describe("sending again", () => {
  test("needs two reads that missed the prompt", () => {
    const once = having(accepted, events.missed);
    expect(transition(once, events.send_again)).toEqual({ refused: true, reason: "not_missed_twice" });
    const twice = transition(having(once, events.missed), events.send_again);
    expect(twice).toMatchObject({ record: { status: "submitting", attempts: 1 }, effects: [{ type: "send" }] });
  });

  test("a read that finds the prompt resets the count", () => {
    const found = having(accepted, events.missed, events.reconciled, events.missed);
    expect(found.missedReads).toBe(1);
  });

  test("needs no read when the request certainly did not leave", () => {
    const unsent = having(submitting, events.not_sent);
    expect(unsent).toMatchObject({ acceptanceUnknown: false });
    expect(transition(unsent, events.send_again)).toMatchObject({ record: { attemptList: [{ sends: 1 }] } });
  });

  test("is refused after three sends", () => {
    const again = [events.missed, events.missed, events.send_again, events.accepted];
    const thrice = having(accepted, ...again, ...again, events.missed, events.missed);
    expect(transition(thrice, events.send_again)).toEqual({ refused: true, reason: "sent_too_often" });
  });
});

describe("acceptance", () => {
  test("a prompt found in the transcript is accepted, whatever the request said", () => {
    expect(having(failedRetryable, events.reconciled)).toMatchObject({ status: "accepted", acceptanceUnknown: false });
    expect(having(submitting, events.reconciled)).toMatchObject({ status: "accepted", acceptedAt: 30 });
  });
});

describe("rescheduling", () => {
  test("moves back the next reconcile, the time of the send and the last observation, and nothing else", () => {
    const looked = having({ ...submitting, submittedAt: 5000 }, { ...events.reconciled, at: 6000, reconcileAt: 7000 });
    const back = having(looked, { ...events.rescheduled, at: 100, reconcileAt: 150 });
    const { version } = looked;
    const times = { nextReconcileAt: 150, submittedAt: 100, lastObservedAt: 100 };
    expect(back).toEqual({ ...looked, ...times, updatedAt: 100, version: version + 1 });
  });

  test("leaves times in the past unchanged", () => {
    expect(having(accepted, events.rescheduled)).toMatchObject({ nextReconcileAt: 98, submittedAt: 10 });
  });

  test("is refused if nothing is scheduled, and never postpones", () => {
    expect(transition(failedTerminal, events.rescheduled)).toEqual({ refused: true, reason: "nothing_is_scheduled" });
    const later = { ...events.rescheduled, reconcileAt: 100 };
    expect(transition(accepted, later)).toEqual({ refused: true, reason: "later_than_before" });
  });
});

describe("the end", () => {
  test("guardrail: acceptance alone commits no read", () => {
    expect(accepted).toMatchObject({ status: "accepted", readCommittedAt: null, proof: null });
  });

  test("proof closes the delivery once the read is committed and the turn has ended", () => {
    expect(isOutstanding(responded)).toBe(false);
    expect(responded.nextReconcileAt).toBeNull();
    expect(isOutstanding(owed)).toBe(true);
    const ended = having(owed, events.turn_ended);
    expect(isOutstanding(ended)).toBe(true);
    expect(isOutstanding(having(ended, events.read_committed))).toBe(false);
  });

  test("guardrail: a failed read commit is repeated and never causes another prompt", () => {
    const failed = having(owed, events.read_commit_failed);
    expect(failed).toMatchObject({ status: "responded", readCommitError: "disk", nextReconcileAt: 99 });
    for (const event of [submitEvent(2, 100), events.send_again, events.retry]) {
      expect(transition(failed, event)).toHaveProperty("refused");
    }
    expect(transition(owed, events.turn_ended)).toMatchObject({ effects: [{ type: "commit_read" }] });
  });

  describe("a proven delivery", () => {
    const next = { kind: "summary", spends: "follow_ups", freshSession: false } as const;
    const silent = having(accepted, { ...events.proven, turnEnded: false, next });
    const asked = having(silent, events.submit_follow_up);

    test("may get one follow-up, stays responded and read, and keeps its lane until that turn ends", () => {
      expect(silent).toMatchObject({ status: "responded", readCommittedAt: 70, turnEndedAt: null });
      expect(transition(silent, events.submit_follow_up)).toMatchObject({
        record: { status: "responded", readCommittedAt: 70, respondedAt: 70, attempts: 1, nextAttempt: null },
        effects: [{ type: "send", attempt: { number: 2, kind: "summary", sends: 1 } }],
      });
      expect(isOutstanding(asked)).toBe(true);
      expect(isOutstanding(having(asked, events.turn_ended))).toBe(false);
      expect(
        transition(asked, { ...events.submit_follow_up, attempt: anAttempt(3, { kind: "summary" }) }),
      ).toHaveProperty("refused");
    });

    test("gets no follow-up that is not due, and none after its turn has ended", () => {
      const retry = anAttempt(2);
      const followUp = anAttempt(2, { kind: "follow_up", spends: "follow_ups" });
      expect(transition(silent, { ...events.submit_follow_up, attempt: retry })).toHaveProperty("refused");
      expect(transition(silent, { ...events.submit_follow_up, attempt: followUp })).toHaveProperty("refused");
      expect(transition(having(silent, events.turn_ended), events.submit_follow_up)).toHaveProperty("refused");
      expect(transition(owed, events.submit_follow_up)).toHaveProperty("refused");
      expect(having(failedTerminal, { ...events.proven, turnEnded: false, next })).toMatchObject({ nextAttempt: null });
    });

    test("gets its follow-up sent again with the same ids only after two reads missed it", () => {
      const again: DeliveryEvent = { type: "send_again", at: 90, number: 2, reconcileAt: 99 };
      expect(transition(asked, again)).toHaveProperty("refused");
      expect(transition(having(asked, events.missed, events.missed), again)).toMatchObject({
        record: { status: "responded", attemptList: [{}, { sends: 2 }] },
        effects: [{ type: "send" }],
      });
    });

    test("is checked once for the files it named, although it is closed", () => {
      const claims = { names: ["a.txt", "b.txt"], until: 90 };
      const named = having(accepted, { ...events.proven, claims });
      expect(named).toMatchObject({ claims, nextReconcileAt: 99 });
      expect(isOutstanding(named)).toBe(false);
      expect(having(named, events.files_checked)).toMatchObject({
        claims: null,
        nextReconcileAt: null,
        diagnostics: ["claimed_file_missing:a.txt"],
      });
    });
  });

  test("guardrail: a delivery that failed for good stays unread and releases its lane", () => {
    expect(failedTerminal).toMatchObject({ readCommittedAt: null });
    expect(isOutstanding(failedTerminal)).toBe(false);
  });

  test("a delivery that never held the lane, or released it, does not take it by owing a read", () => {
    const elsewhere = { readCommitted: false };
    for (const record of [
      having(failedTerminal, { ...events.proven, ...elsewhere }),
      having(pending, { ...events.cancelled, ...elsewhere }),
      having(pending, { ...events.withdrawn, ...elsewhere }),
    ]) {
      expect(isOutstanding(record)).toBe(false);
      expect(record.nextReconcileAt).toBe(99);
    }
  });

  test("late proof closes a failed delivery without taking its lane again", () => {
    const late = having(failedTerminal, { ...events.proven, turnEnded: false });
    expect(late).toMatchObject({ status: "responded", attempts: 1 });
    expect(isOutstanding(late)).toBe(false);
  });

  test("observing a responded delivery again changes nothing", () => {
    expect(transition(responded, events.proven)).toHaveProperty("refused");
    expect(transition(responded, events.reconciled)).toEqual({ refused: true, reason: "already_closed" });
  });

  test("a stop owes the end of the turn only while the turn may run", () => {
    for (const record of [submitting, accepted, failedRetryable]) {
      expect(isOutstanding(having(record, events.cancelled))).toBe(true);
    }
    for (const record of [pending, unanswered, retryScheduled, failedTerminal]) {
      expect(isOutstanding(having(record, events.cancelled))).toBe(false);
    }
  });

  test("only a delivery that was never sent can be withdrawn", () => {
    const retried = having(failedTerminal, events.retried_by_person);
    const rebuilt = { ...pending, acceptanceUnknown: true };
    for (const record of [retried, rebuilt]) {
      expect(transition(record, events.withdrawn)).toEqual({ refused: true, reason: "may_have_been_sent" });
    }
    const searched = having(rebuilt, { ...events.attempts_searched, found: [] });
    expect(transition(searched, events.withdrawn)).toMatchObject({ record: { status: "cancelled" } });
  });

  test("a person's retry adds a new budget to the spent one", () => {
    const retried = having(failedTerminal, events.retried_by_person);
    expect(retried).toMatchObject({ status: "pending", attempts: 1, maxAttempts: 4, failedAt: null });
    expect(having(retried, { ...events.submit, attempt: anAttempt(2) } as DeliveryEvent).attempts).toBe(2);
  });
});

/** Thousands of runs each, which may take a while on a busy machine. */
describe("properties", () => {
  const anyRun = fc.array(anyEvent("a"), { minLength: 1, maxLength: 80, size: "max" });

  // Includes small budgets, so that a run exhausts them, and an attempt that was already sent the maximum number of
  // times.
  const sentOften = (record: DeliveryRecord): DeliveryRecord => ({
    ...record,
    attemptList: record.attemptList.map((attempt) => ({ ...attempt, sends: 3 })),
  });
  const anyStart = fc.constantFrom(
    aRecord(),
    aRecord({}, { maxAttempts: 1, maxRepairs: 0 }),
    aRecord({}, { maxAttempts: 1, maxRepairs: 1 }),
    sentOften(
      having(aRecord(), { ...events.submit, attempt: anAttempt(1, { messageId: "msg-a-1-1" }) } as DeliveryEvent),
    ),
  );

  type Step = { event: DeliveryEvent; before: DeliveryRecord; moved: Transitioned };

  /** The accepted events of a run, in order, with their effects. */
  function taken(run: readonly DeliveryEvent[], start = aRecord()): Step[] {
    const steps: Step[] = [];
    for (const event of run) {
      const before = steps.at(-1)?.moved.record ?? start;
      const moved = transition(before, event);
      if (!("refused" in moved)) steps.push({ event, before, moved });
    }
    return steps;
  }

  test("no sequence of events breaks a rule of the record", () => {
    fc.assert(
      fc.property(anyRun, anyStart, (run, start) => {
        expect(taken(run, start).flatMap(({ moved }) => brokenRules(moved.record))).toEqual([]);
      }),
      { numRuns: 4000 },
    );
  });

  test("folding the accepted events gives the record", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        const steps = taken(run);
        const events = steps.map((step) => step.event);
        const record = steps.at(-1)?.moved.record ?? aRecord();
        expect(fold([{ type: "admitted", at: 1, record: aRecord() }, ...events])).toEqual(record);
        expect(record.version).toBe(events.length + 1);
      }),
    );
  });

  test("a committed read is never undone, and no prompt for the message follows it", () => {
    fc.assert(
      fc.property(anyRun, (run) => {
        for (const { before, moved } of taken(run).filter((step) => step.before.readCommittedAt !== null)) {
          expect(moved.record.readCommittedAt).toBe(before.readCommittedAt);
          const prompts = moved.effects.flatMap((effect) => (effect.type === "send" ? [effect.attempt.kind] : []));
          expect(prompts.filter((kind) => !isFollowUp(kind))).toEqual([]);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("the random runs reach every state and every event", () => {
    const reached = new Set<string>();
    const held = { ...aRecord(), heldReason: "loop_guard" };
    fc.assert(
      fc.property(anyRun, (run) => {
        for (const { event, moved } of [...taken(run), ...taken(run, held)])
          reached.add(event.type).add(moved.record.status);
      }),
      { numRuns: 3000, seed: 1 },
    );
    const made = eventTypes.filter((type) => type !== "admitted" && type !== "rebuilt");
    expect([...made, ...statuses].filter((name) => !reached.has(name))).toEqual([]);
  });
});

/**
 * Sending a prompt, for the first time, again, or as a follow-up; and the outcome of the request. Pure.
 *
 * The record comes first: a send is an effect of the event that stored its ids.
 */
import type { Attempt } from "../attempt.ts";
import { isFollowUp, laterAttemptFields, maxSendsPerAttempt, mergeTiming, untimed } from "../attempt.ts";
import type { Effect, NewAttempt } from "../delivery-event.ts";
import type { DeliveryRecord } from "../record.ts";
import { lastAttempt } from "../record.ts";
import { budgetLeft } from "../schedule.ts";
import type { TransitionRules } from "./transition-rule.ts";

/** A new prompt has not been reconciled yet. */
const afresh = { reconciles: 0, missedReads: 0, quietMs: 0, activityAt: null };

export const submissionTransitions: TransitionRules<
  "submit" | "send_again" | "submit_follow_up" | "accepted" | "acceptance_unknown" | "not_sent"
> = {
  submit: {
    from: ["pending", "retry_scheduled"],
    refuse: (record, { attempt, runtimeKind }) => {
      if (attempt.number !== record.attemptList.length + 1) return "attempt_number_out_of_order";
      if (record.runtimeKind !== null && record.runtimeKind !== runtimeKind) return "runtime_identity_changed";
      if (record.status === "retry_scheduled" && record.nextAttempt?.spends !== attempt.spends) {
        return "not_the_scheduled_attempt";
      }
      return budgetLeft(record, attempt.spends) ? null : `no_${attempt.spends}_left`;
    },
    change: (record, event) => ({
      status: "submitting",
      responseState: "not_observed",
      runtimeKind: event.runtimeKind,
      runId: event.runId,
      runtimeSessionId: event.attempt.sessionId,
      attempts: record.attempts + (event.attempt.spends === "attempts" ? 1 : 0),
      repairs: record.repairs + (event.attempt.spends === "repairs" ? 1 : 0),
      attemptList: withNew(record, event.attempt, event.at),
      nextAttempt: null,
      acceptanceUnknown: true,
      holdsLane: true,
      ...afresh,
      nextReconcileAt: event.reconcileAt,
      submittedAt: event.at,
      prePromptCursor: event.attempt.prePromptCursor,
    }),
    effects: sendLast,
  },

  send_again: {
    from: ["submitting", "accepted", "failed_retryable", "responded"],
    refuse: (record, event) => {
      const last = lastAttempt(record);
      if (last?.number !== event.number) return "not_the_last_attempt";
      if (record.status === "responded" && (!isFollowUp(last.kind) || record.turnEndedAt !== null)) {
        return "send_again_from_responded";
      }
      if (last.sends >= maxSendsPerAttempt) return "sent_too_often";
      return last.left && record.missedReads < 2 ? "not_missed_twice" : null;
    },
    change: (record, event) => ({
      status: record.status === "responded" ? "responded" : "submitting",
      attemptList: withLast(record, (last) => ({ ...last, sends: last.sends + 1, left: true })),
      acceptanceUnknown: true,
      nextReconcileAt: event.reconcileAt,
      // While nothing leaves, the tries get further apart.
      reconciles: lastAttempt(record)?.left ? 0 : record.reconciles,
      missedReads: 0,
      submittedAt: event.at,
    }),
    effects: sendLast,
  },

  submit_follow_up: {
    from: ["responded"],
    refuse: (record, { attempt }) => {
      if (record.turnEndedAt !== null) return "turn_has_ended";
      if (!isFollowUp(attempt.kind) || attempt.spends !== "follow_ups") return "not_a_follow_up";
      if (record.nextAttempt?.kind !== attempt.kind) return "not_the_scheduled_attempt";
      if (record.attemptList.some((earlier) => earlier.kind === attempt.kind)) return "was_asked_before";
      return attempt.number === record.attemptList.length + 1 ? null : "attempt_number_out_of_order";
    },
    change: (record, event) => ({
      runId: event.runId,
      runtimeSessionId: event.attempt.sessionId,
      attemptList: withNew(record, event.attempt, event.at),
      nextAttempt: null,
      acceptanceUnknown: true,
      ...afresh,
      nextReconcileAt: event.reconcileAt,
      submittedAt: event.at,
      prePromptCursor: event.attempt.prePromptCursor,
    }),
    effects: sendLast,
  },

  accepted: {
    from: ["submitting"],
    refuse: (record, event) => (lastAttempt(record)?.number === event.number ? null : "not_the_last_attempt"),
    change: (record, event) => ({
      status: "accepted",
      attemptList: withLast(record, (last) => ({
        ...last,
        ...mergeTiming(last, { ...untimed, storedAt: event.storedAt ?? null }),
      })),
      acceptanceUnknown: false,
      acceptedAt: event.at,
      nextReconcileAt: event.reconcileAt,
    }),
  },

  acceptance_unknown: {
    from: ["submitting"],
    change: (_, event) => ({
      status: "failed_retryable",
      acceptanceUnknown: true,
      lastReason: event.reason,
      nextReconcileAt: event.reconcileAt,
    }),
  },

  not_sent: {
    from: ["submitting"],
    change: (record, event) => ({
      status: "failed_retryable",
      // It does not count as sent, but an earlier send with the same ids may have arrived.
      acceptanceUnknown: (lastAttempt(record)?.sends ?? 0) > 1,
      attemptList: withLast(record, (last) => ({ ...last, sends: last.sends - 1, left: last.sends > 1 })),
      reconciles: record.reconciles + 1,
      lastReason: event.reason,
      nextReconcileAt: event.reconcileAt,
    }),
  },
};

function sendLast(record: DeliveryRecord): readonly Effect[] {
  const attempt = lastAttempt(record);
  return attempt ? [{ type: "send", attempt }] : [];
}

function withNew(record: DeliveryRecord, attempt: NewAttempt, at: number): readonly Attempt[] {
  return [...record.attemptList, { ...laterAttemptFields, ...attempt, sends: 1, left: true, submittedAt: at }];
}

function withLast(record: DeliveryRecord, change: (last: Attempt) => Attempt): readonly Attempt[] {
  return record.attemptList.map((attempt, index) =>
    index === record.attemptList.length - 1 ? change(attempt) : attempt,
  );
}

/**
 * What a reconcile finds, short of an end: the prompt, nothing new, silence, a failure that a retry may fix, or times
 * set by a wrong clock. Pure.
 */

import { laterAttemptFields } from "../attempt.ts";
import { mayHaveBeenSent } from "../reasons.ts";
import { isOutstanding, isOwed, isUnconfirmed, openStatuses } from "../record.ts";
import { budgetLeft } from "../schedule.ts";
import type { TransitionRules } from "./transition-rule.ts";

export const observationTransitions: TransitionRules<
  "attempts_searched" | "reconciled" | "unanswered" | "failed_retryable" | "retry_scheduled" | "rescheduled"
> = {
  attempts_searched: {
    from: ["pending"],
    refuse: (record) => (record.attemptList.length > 0 ? "was_sent_before" : null),
    change: (record, event) => {
      if (event.unreadable) return { heldReason: mayHaveBeenSent };
      const last = event.found.at(-1);
      // It was never sent: from here on it is a message like any other.
      if (!last) return { acceptanceUnknown: false };
      return {
        status: "accepted",
        acceptanceUnknown: false,
        holdsLane: true,
        runtimeKind: event.runtimeKind,
        runtimeSessionId: last.sessionId,
        attemptList: event.found.map((attempt) => ({ ...laterAttemptFields, ...attempt })),
        attempts: event.found.length,
        maxAttempts: Math.max(record.maxAttempts, event.found.length),
        submittedAt: last.submittedAt,
        acceptedAt: event.at,
        nextReconcileAt: event.reconcileAt,
      };
    },
  },

  reconciled: {
    from: [...openStatuses, "failed_terminal", "responded", "cancelled"],
    refuse: (record, event) => {
      const owesALook = isOutstanding(record) || isOwed(record) || record.claims !== null;
      if (event.reconcileAt === null && owesALook) return "outstanding_without_next_reconcile";
      return owesALook || record.status === "failed_terminal" ? null : "already_closed";
    },
    change: (record, event) => ({
      ...(event.found && isUnconfirmed(record)
        ? { status: "accepted" as const, acceptedAt: record.acceptedAt ?? event.at }
        : {}),
      acceptanceUnknown: event.found ? false : record.acceptanceUnknown,
      reconciles: record.reconciles + 1,
      missedReads: event.missed ? record.missedReads + 1 : 0,
      // A cancelled delivery keeps its reason, whatever a read that began before the stop has seen.
      lastReason: record.status === "cancelled" ? record.lastReason : (event.reason ?? record.lastReason),
      nextReconcileAt: event.reconcileAt,
    }),
  },

  unanswered: {
    from: ["accepted"],
    change: (_, event) => ({ status: "unanswered", lastReason: event.reason, nextReconcileAt: event.reconcileAt }),
  },

  failed_retryable: {
    from: ["submitting", "accepted", "failed_retryable"],
    change: (_, event) => ({
      status: "failed_retryable",
      lastReason: event.reason,
      nextReconcileAt: event.reconcileAt,
    }),
  },

  retry_scheduled: {
    from: ["unanswered", "failed_retryable"],
    refuse: (record, event) => (budgetLeft(record, event.next.spends) ? null : `no_${event.next.spends}_left`),
    change: (_, event) => ({ status: "retry_scheduled", nextAttempt: event.next, nextReconcileAt: event.reconcileAt }),
  },

  rescheduled: {
    from: [...openStatuses, "failed_terminal", "responded", "cancelled"],
    refuse: (record, event) => {
      if (record.nextReconcileAt === null) return "nothing_is_scheduled";
      return event.reconcileAt > record.nextReconcileAt ? "later_than_before" : null;
    },
    change: (record, event) => ({
      nextReconcileAt: event.reconcileAt,
      // Grace time and quiet count from these.
      submittedAt: notAfter(record.submittedAt, event.at),
      lastObservedAt: notAfter(record.lastObservedAt, event.at),
      claims: record.claims && { ...record.claims, until: event.filesUntil ?? record.claims.until },
    }),
  },
};

function notAfter(time: number | null, limit: number): number | null {
  return time === null ? null : Math.min(time, limit);
}

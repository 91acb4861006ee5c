/**
 * How a delivery ends: proven, failed for good, or ended by a person; and what is owed after that: the read, the end
 * of the turn, a check for the files that the answer names. Late proof and a person's retry reopen a failed one.
 * Pure.
 */
import type { Effect } from "../delivery-event.ts";
import { mayHaveBeenSent } from "../reasons.ts";
import type { DeliveryRecord } from "../record.ts";
import { addDiagnostics, isUnconfirmed, openStatuses } from "../record.ts";
import { missingFileDiagnostic } from "../texts.ts";
import type { TransitionRules } from "./transition-rule.ts";

export const completionTransitions: TransitionRules<
  | "proven"
  | "files_checked"
  | "failed_terminal"
  | "turn_ended"
  | "read_committed"
  | "read_commit_failed"
  | "cancelled"
  | "released"
  | "withdrawn"
  | "retried_by_person"
> = {
  proven: {
    from: ["pending", ...openStatuses, "failed_terminal"],
    refuse: (record) => (record.attemptList.length === 0 ? "nothing_was_sent" : null),
    change: (record, event) => ({
      status: "responded",
      proof: event.proof,
      attemptList: record.attemptList.map((attempt) =>
        attempt.number === event.attempt ? { ...attempt, provenAt: event.at } : attempt,
      ),
      respondedAt: event.at,
      acceptanceUnknown: false,
      acceptedAt: record.acceptedAt ?? event.at,
      nextAttempt: record.status === "failed_terminal" || event.turnEnded ? null : (event.next ?? null),
      claims: event.claims ?? null,
      // A delivery that failed for good released its lane then; late proof does not take it again.
      holdsLane: record.status !== "failed_terminal",
      turnEndedAt: event.turnEnded || record.status === "failed_terminal" ? event.at : null,
      readCommittedAt: event.readCommitted ? event.at : null,
      lastReason: null,
      diagnostics: addDiagnostics(record, event.diagnostics),
      nextReconcileAt: event.reconcileAt,
    }),
    effects: readCommitOwed,
  },

  files_checked: {
    from: ["responded"],
    refuse: (record) => (record.claims === null ? "no_file_is_looked_for" : null),
    change: (record, event) => ({
      claims: null,
      nextAttempt: record.turnEndedAt === null ? (event.next ?? record.nextAttempt) : null,
      diagnostics: addDiagnostics(record, event.missing.map(missingFileDiagnostic)),
      nextReconcileAt: event.reconcileAt,
    }),
  },

  failed_terminal: {
    from: ["pending", ...openStatuses],
    change: (_, event) => ({
      status: "failed_terminal",
      holdsLane: false,
      failedAt: event.at,
      nextAttempt: null,
      reconciles: 0,
      lastReason: event.reason,
      nextReconcileAt: event.reconcileAt,
    }),
  },

  turn_ended: {
    from: ["responded", "cancelled"],
    refuse: (record) => (record.turnEndedAt === null ? null : "turn_has_ended"),
    change: (record, event) => ({
      turnEndedAt: event.at,
      nextAttempt: null,
      diagnostics: addDiagnostics(record, event.diagnostics ?? []),
    }),
    effects: readCommitOwed,
  },

  read_committed: {
    from: ["responded", "cancelled"],
    refuse: (record) => (record.readCommittedAt === null ? null : "read_is_committed"),
    change: (record, event) => ({
      readCommittedAt: event.at,
      readCommitError: null,
      diagnostics: addDiagnostics(record, event.diagnostics),
    }),
  },

  read_commit_failed: {
    from: ["responded", "cancelled"],
    refuse: (record) => (record.readCommittedAt === null ? null : "read_is_committed"),
    change: (record, event) => ({
      readCommitError: event.error,
      reconciles: record.reconciles + 1,
      nextReconcileAt: event.reconcileAt,
    }),
  },

  cancelled: {
    from: ["pending", ...openStatuses, "failed_terminal"],
    change: (record, event) => ({
      status: "cancelled",
      cancelledAt: event.at,
      nextAttempt: null,
      reconciles: 0,
      lastReason: event.reason,
      turnEndedAt: turnMayRun(record) ? null : event.at,
      readCommittedAt: event.readCommitted ? event.at : null,
      nextReconcileAt: event.reconcileAt,
    }),
    effects: readCommitOwed,
  },

  released: {
    from: ["pending"],
    refuse: (record) => (record.heldReason === null ? "is_not_held" : null),
    // A person who releases it has decided to send it.
    change: ({ heldReason, acceptanceUnknown }) => ({
      heldReason: null,
      acceptanceUnknown: acceptanceUnknown && heldReason !== mayHaveBeenSent,
    }),
  },

  withdrawn: {
    from: ["pending"],
    refuse: (record) => (record.attemptList.length > 0 || record.acceptanceUnknown ? "may_have_been_sent" : null),
    change: (_, event) => ({
      status: "cancelled",
      cancelledAt: event.at,
      lastReason: event.reason,
      turnEndedAt: event.at,
      readCommittedAt: event.readCommitted ? event.at : null,
      nextReconcileAt: event.reconcileAt,
    }),
    effects: readCommitOwed,
  },

  retried_by_person: {
    from: ["failed_terminal"],
    refuse: (_, event) => (event.budget > 0 ? null : "empty_budget"),
    change: (record, event) => ({
      status: "pending",
      maxAttempts: record.attempts + event.budget,
      maxRepairs: record.repairs + event.budget,
      rounds: event.round ?? record.rounds,
      acceptanceUnknown: false,
      failedAt: null,
      // A person who retries it wants it sent, whatever its expiry.
      expiresAt: null,
      nextReconcileAt: null,
    }),
  },
};

function readCommitOwed(record: DeliveryRecord): readonly Effect[] {
  return record.readCommittedAt === null ? [{ type: "commit_read" }] : [];
}

function turnMayRun(record: DeliveryRecord): boolean {
  // A retry in a fresh session waits because the old session hangs while busy.
  const hangs = record.status === "retry_scheduled" && record.nextAttempt?.freshSession === true;
  return record.status === "accepted" || hangs || isUnconfirmed(record);
}

/**
 * The one table of what may happen to a delivery, from where, and what it becomes.
 *
 * Pure: no clock, no random source, no I/O. An event that does not fit is refused with a reason, never bent.
 * A row of `moves` says from which states an event is taken and what it changes; `transition` adds what is common.
 */
import type { Attempt } from "./attempt.ts";
import { isFurther, maxSendsPerAttempt } from "./attempt.ts";
import type { DeliveryEvent, Effect, EventOf, EventType, NewAttempt, ObservedFacts } from "./delivery-event.ts";
import { missingFileDiagnostic } from "./prompt-text.ts";
import type { DeliveryRecord, Status } from "./record.ts";
import { isOutstanding, isOwed, lastAttempt, openStatuses } from "./record.ts";
import { quietAfter } from "./retry.ts";
import type { AttemptTiming } from "./timing.ts";
import { mergeTiming, untimed } from "./timing.ts";
import { upcast } from "./upcast.ts";

export type Moved = { record: DeliveryRecord; effects: readonly Effect[] };
export type Refused = { refused: true; reason: string };
export type Transition = Moved | Refused;

type Change = Partial<DeliveryRecord>;
type Move<T extends EventType> = {
  from: readonly Status[];
  /** Why the event does not fit although the state does, or null. */
  refuse?: (record: DeliveryRecord, event: EventOf<T>) => string | null;
  change: (record: DeliveryRecord, event: EventOf<T>) => Change;
  effects?: (record: DeliveryRecord) => readonly Effect[];
};

/** A prompt that is new has been looked at by nobody. */
const afresh = { looks: 0, missedReads: 0, quietMs: 0, activityAt: null };

const moves: { [T in EventType]: Move<T> } = {
  // The two that make a record. They are taken as the first event of a fold only.
  admitted: { from: [], change: () => ({}) },
  rebuilt: { from: [], change: () => ({}) },

  attempts_searched: {
    from: ["pending"],
    refuse: (record) => (record.attemptList.length > 0 ? "was_sent_before" : null),
    change: (record, event) => {
      const last = event.found.at(-1);
      // Nothing of it was ever sent: from here on it is a message like any other.
      if (!last) return { acceptanceUnknown: false };
      return {
        status: "accepted",
        acceptanceUnknown: false,
        holdsLane: true,
        runtimeKind: event.runtimeKind,
        runtimeSessionId: last.sessionId,
        attemptList: event.found.map((attempt) => ({ ...untimed, ...attempt })),
        attempts: event.found.length,
        maxAttempts: Math.max(record.maxAttempts, event.found.length),
        submittedAt: last.submittedAt,
        acceptedAt: event.at,
        nextLookAt: event.lookAt,
      };
    },
  },

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
      nextLookAt: event.lookAt,
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
      if (record.status === "responded" && (!isFurther(last.kind) || record.turnEndedAt !== null)) {
        return "send_again_from_responded";
      }
      if (last.sends >= maxSendsPerAttempt) return "sent_too_often";
      return last.left && record.missedReads < 2 ? "not_missed_twice" : null;
    },
    change: (record, event) => ({
      status: record.status === "responded" ? "responded" : "submitting",
      attemptList: withLast(record, (last) => ({ ...last, sends: last.sends + 1, left: true })),
      acceptanceUnknown: true,
      nextLookAt: event.lookAt,
      // While nothing leaves, the tries come further and further apart.
      looks: lastAttempt(record)?.left ? 0 : record.looks,
      missedReads: 0,
      submittedAt: event.at,
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
      nextLookAt: event.lookAt,
    }),
  },

  acceptance_unknown: {
    from: ["submitting"],
    change: (_, event) => ({
      status: "failed_retryable",
      acceptanceUnknown: true,
      lastReason: event.reason,
      nextLookAt: event.lookAt,
    }),
  },

  not_sent: {
    from: ["submitting"],
    change: (record, event) => ({
      status: "failed_retryable",
      // It does not count as sent; but an earlier send of the same ids may have arrived.
      acceptanceUnknown: (lastAttempt(record)?.sends ?? 0) > 1,
      attemptList: withLast(record, (last) => ({ ...last, sends: last.sends - 1, left: last.sends > 1 })),
      looks: record.looks + 1,
      lastReason: event.reason,
      nextLookAt: event.lookAt,
    }),
  },

  looked: {
    from: [...openStatuses, "failed_terminal", "responded", "cancelled"],
    refuse: (record, event) => {
      const owesALook = isOutstanding(record) || isOwed(record) || record.claims !== null;
      if (event.lookAt === null && owesALook) return "outstanding_without_next_look";
      return owesALook || record.status === "failed_terminal" ? null : "already_closed";
    },
    change: (record, event) => ({
      ...(event.found && isUnconfirmed(record)
        ? { status: "accepted" as const, acceptedAt: record.acceptedAt ?? event.at }
        : {}),
      acceptanceUnknown: event.found ? false : record.acceptanceUnknown,
      looks: record.looks + 1,
      missedReads: event.missed ? record.missedReads + 1 : 0,
      lastReason: event.reason ?? record.lastReason,
      nextLookAt: event.lookAt,
    }),
  },

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
      // A delivery that had failed for good gave its lane back then; late proof does not take it again.
      holdsLane: record.status !== "failed_terminal",
      turnEndedAt: event.turnEnded || record.status === "failed_terminal" ? event.at : null,
      readCommittedAt: event.readCommitted ? event.at : null,
      lastReason: null,
      diagnostics: addDiagnostics(record, event.diagnostics),
      nextLookAt: event.lookAt,
    }),
    effects: readCommitOwed,
  },

  files_looked_for: {
    from: ["responded"],
    refuse: (record) => (record.claims === null ? "no_file_is_looked_for" : null),
    change: (record, event) => ({
      claims: null,
      nextAttempt: record.turnEndedAt === null ? (event.next ?? record.nextAttempt) : null,
      diagnostics: addDiagnostics(record, event.missing.map(missingFileDiagnostic)),
      nextLookAt: event.lookAt,
    }),
  },

  asked_further: {
    from: ["responded"],
    refuse: (record, { attempt }) => {
      if (record.turnEndedAt !== null) return "turn_has_ended";
      if (!isFurther(attempt.kind) || attempt.spends !== "further") return "not_a_further_attempt";
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
      nextLookAt: event.lookAt,
      submittedAt: event.at,
      prePromptCursor: event.attempt.prePromptCursor,
    }),
    effects: sendLast,
  },

  unanswered: {
    from: ["accepted"],
    change: (_, event) => ({ status: "unanswered", lastReason: event.reason, nextLookAt: event.lookAt }),
  },

  failed_retryable: {
    from: ["submitting", "accepted", "failed_retryable"],
    change: (_, event) => ({ status: "failed_retryable", lastReason: event.reason, nextLookAt: event.lookAt }),
  },

  failed_terminal: {
    from: ["pending", ...openStatuses],
    change: (_, event) => ({
      status: "failed_terminal",
      holdsLane: false,
      failedAt: event.at,
      nextAttempt: null,
      looks: 0,
      lastReason: event.reason,
      nextLookAt: event.lookAt,
    }),
  },

  retry_scheduled: {
    from: ["unanswered", "failed_retryable"],
    refuse: (record, event) => (budgetLeft(record, event.next.spends) ? null : `no_${event.next.spends}_left`),
    change: (_, event) => ({ status: "retry_scheduled", nextAttempt: event.next, nextLookAt: event.lookAt }),
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
      looks: record.looks + 1,
      nextLookAt: event.lookAt,
    }),
  },

  cancelled: {
    from: ["pending", ...openStatuses, "failed_terminal"],
    change: (record, event) => ({
      status: "cancelled",
      cancelledAt: event.at,
      nextAttempt: null,
      looks: 0,
      lastReason: event.reason,
      turnEndedAt: turnMayRun(record) ? null : event.at,
      readCommittedAt: event.readCommitted ? event.at : null,
      nextLookAt: event.lookAt,
    }),
    effects: readCommitOwed,
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
      nextLookAt: event.lookAt,
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
      acceptanceUnknown: false,
      failedAt: null,
      // Whoever retries it wants it sent, whatever its expiry was.
      expiresAt: null,
      nextLookAt: null,
    }),
  },
};

export const eventTypes = Object.keys(moves) as readonly EventType[];

export function transition(record: DeliveryRecord, event: DeliveryEvent): Transition {
  const move = moves[event.type] as Move<EventType>;
  if (!move.from.includes(record.status)) return refused(`${event.type}_from_${record.status}`);
  const reason = move.refuse?.(record, event) ?? null;
  if (reason !== null) return refused(reason);

  const seen: DeliveryRecord = { ...record, ...observedChange(record, event) };
  const changed: DeliveryRecord = {
    ...seen,
    ...move.change(seen, event),
    updatedAt: event.at,
    version: record.version + 1,
  };
  // What is closed is not looked at again, unless for the files that it named; what failed for good may be, for late proof; what waits, for its expiry.
  const closed = (changed.status === "responded" || changed.status === "cancelled") && !isOwed(changed);
  const next = closed && changed.claims === null ? { ...changed, nextLookAt: null } : changed;
  return { record: next, effects: move.effects?.(next) ?? [] };
}

/** The record that a list of events amounts to. A refused event in it means that the audit was tampered with. */
export function fold(events: readonly DeliveryEvent[]): DeliveryRecord {
  const [first, ...rest] = events;
  if (first?.type !== "admitted" && first?.type !== "rebuilt") throw new Error("a delivery begins with its admission");
  return rest.reduce((record, event) => {
    const moved = transition(record, event);
    if ("refused" in moved) throw new Error(`event ${event.type} does not fit: ${moved.reason}`);
    return moved.record;
  }, upcast(first.record));
}

function refused(reason: string): Refused {
  return { refused: true, reason };
}

function budgetLeft(record: DeliveryRecord, budget: Attempt["spends"]): boolean {
  if (budget === "further") return false;
  return budget === "attempts" ? record.attempts < record.maxAttempts : record.repairs < record.maxRepairs;
}

/** Sent, and nothing yet shows whether it arrived. */
function isUnconfirmed(record: DeliveryRecord): boolean {
  return record.status === "submitting" || record.status === "failed_retryable";
}

function turnMayRun(record: DeliveryRecord): boolean {
  // A retry in a fresh session waits because the old one hangs, busy.
  const hangs = record.status === "retry_scheduled" && record.nextAttempt?.freshSession === true;
  return record.status === "accepted" || hangs || isUnconfirmed(record);
}

function withLast(record: DeliveryRecord, change: (last: Attempt) => Attempt): readonly Attempt[] {
  return record.attemptList.map((attempt, index) =>
    index === record.attemptList.length - 1 ? change(attempt) : attempt,
  );
}

function withNew(record: DeliveryRecord, attempt: NewAttempt, at: number): readonly Attempt[] {
  return [...record.attemptList, { ...untimed, ...attempt, sends: 1, left: true, submittedAt: at }];
}

function timed(record: DeliveryRecord, timings: readonly AttemptTiming[] = []): readonly Attempt[] {
  return record.attemptList.map((attempt) => {
    const seen = timings.find((timing) => timing.number === attempt.number);
    return seen ? { ...attempt, ...mergeTiming(attempt, seen) } : attempt;
  });
}

function sendLast(record: DeliveryRecord): readonly Effect[] {
  const attempt = lastAttempt(record);
  return attempt ? [{ type: "send", attempt }] : [];
}

function readCommitOwed(record: DeliveryRecord): readonly Effect[] {
  return record.readCommittedAt === null ? [{ type: "commit_read" }] : [];
}

const mostDiagnostics = 20;

function addDiagnostics(record: DeliveryRecord, more: readonly string[]): readonly string[] {
  return [...new Set([...record.diagnostics, ...more])].slice(-mostDiagnostics);
}

function observedChange(record: DeliveryRecord, event: DeliveryEvent): Change {
  const observed: ObservedFacts | null = ("observed" in event ? event.observed : null) ?? null;
  if (observed === null) return {};
  // A read that failed has seen nothing: neither activity nor silence.
  if (observed.state === "reconcile_failed") return { responseState: observed.state };
  return {
    responseState: observed.state,
    quietMs: quietAfter(record, observed.lastActivityAt, event.at),
    activityAt: observed.lastActivityAt,
    lastObservedAt: event.at,
    deliveredUserMessageId: observed.deliveredUserMessageId ?? record.deliveredUserMessageId,
    observedAssistantMessageId: observed.assistantMessageId ?? record.observedAssistantMessageId,
    observedToolNames: [...new Set([...record.observedToolNames, ...observed.toolNames])],
    postPromptCursor: observed.newestRowId ?? record.postPromptCursor,
    diagnostics: addDiagnostics(record, observed.diagnostics),
    attemptList: timed(record, observed.timings),
  };
}

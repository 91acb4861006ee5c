/** When a delivery is reconciled again, and which budget pays for the next attempt. Pure arithmetic on the policy. */
import type { Budget, NextAttempt } from "./attempt.ts";
import type { EventOf } from "./delivery-event.ts";
import type { Policy } from "./policy.ts";
import type { DeliveryRecord } from "./record.ts";

export function graceOf(record: Pick<DeliveryRecord, "taskRefs">, policy: Policy): number {
  return record.taskRefs.length > 0 ? policy.graceForTaskMs : policy.graceMs;
}

/** The time before which silence means nothing. */
export function graceEnds(record: DeliveryRecord, policy: Policy): number {
  return (record.submittedAt ?? record.createdAt) + graceOf(record, policy);
}

/** Reconciles get further apart, up to the policy's longest wait, and never stop. */
export function nextReconcileAt(record: Pick<DeliveryRecord, "reconciles">, policy: Policy, now: number): number {
  const wait = policy.firstReconcileDelayMs * 2 ** Math.min(record.reconciles, 30);
  return now + Math.min(wait, policy.maxReconcileDelayMs);
}

export function retryDelay(attempts: number, policy: Policy): number {
  const delays = policy.retryDelaysMs;
  return delays[Math.min(Math.max(attempts, 1), delays.length) - 1] ?? 0;
}

/** The longest wait a provider may ask for. */
export const longestBackOffMs = 6 * 60 * 60_000;

/** When to look for late proof after `done` such reconciles, or null if there were enough. */
export function lateReconcileAt(done: number, policy: Policy, now: number): number | null {
  const wait = policy.lateReconcileDelaysMs[done];
  return wait === undefined ? null : now + wait;
}

/** How far ahead the next reconcile may be; null if the sender set its time instead of the schedule. */
function longestWait(record: DeliveryRecord, policy: Policy): number | null {
  switch (record.status) {
    case "pending":
      return null;
    case "failed_terminal":
      return Math.max(0, ...policy.lateReconcileDelaysMs);
    case "retry_scheduled":
      return Math.max(policy.maxReconcileDelayMs, record.nextAttempt?.backOffMs ?? 0, ...policy.retryDelaysMs);
    case "submitting":
    case "accepted":
    case "unanswered":
    case "failed_retryable":
    case "responded":
    case "cancelled":
      return Math.max(policy.maxReconcileDelayMs, policy.rereadMs, policy.fileCheckMs, graceOf(record, policy));
    default:
      return record.status satisfies never;
  }
}

/**
 * Moves times of a delivery back that are further ahead than its schedule allows, as after the correction of a clock
 * that was ahead: the delivery would stand still until then. Null if they are fine.
 */
export function rescheduled(record: DeliveryRecord, policy: Policy, now: number): EventOf<"rescheduled"> | null {
  const longest = longestWait(record, policy);
  if (record.nextReconcileAt === null || longest === null) return null;
  const reconcileAt = Math.min(record.nextReconcileAt, now + longest);
  const until = record.claims === null ? 0 : Math.min(record.claims.until, now + policy.fileWaitMs);
  const isAhead =
    reconcileAt < record.nextReconcileAt || (record.submittedAt ?? 0) > now || until < (record.claims?.until ?? 0);
  if (!isAhead) return null;
  return { type: "rescheduled", at: now, reconcileAt, filesUntil: record.claims === null ? null : until };
}

/** The most that counts as quiet between two reads: a machine that slept saw nothing, which is not silence. */
const longestWatch = 2 * 60_000;

/** How long a session has been quiet, given `activityAt`, its last activity as seen at `now`. */
export function quietAfter(
  record: Pick<DeliveryRecord, "quietMs" | "activityAt" | "lastObservedAt">,
  activityAt: number | null,
  now: number,
): number {
  if (record.lastObservedAt === null || record.activityAt !== activityAt) return 0;
  return record.quietMs + Math.min(Math.max(0, now - record.lastObservedAt), longestWatch);
}

/** A repair has its own budget. When that is spent, the message's attempts pay for it. */
export function affordable(record: DeliveryRecord, repair: boolean, freshSession: boolean): NextAttempt | null {
  const budgets: readonly Budget[] = repair ? ["repairs", "attempts"] : ["attempts"];
  const spends = budgets.find((budget) => budgetLeft(record, budget));
  return spends ? { kind: "retry", spends, freshSession } : null;
}

/** Follow-ups have no budget: no submit and no retry can be paid from one. */
export function budgetLeft(record: DeliveryRecord, budget: Budget): boolean {
  if (budget === "follow_ups") return false;
  return budget === "attempts" ? record.attempts < record.maxAttempts : record.repairs < record.maxRepairs;
}

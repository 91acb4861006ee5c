/** Invariants of every record. `waybill store check` checks all records against them. */
import { followUpKinds, isFollowUp, maxSendsPerAttempt } from "./attempt.ts";
import type { DeliveryRecord } from "./record.ts";
import { isOutstanding, isOwed } from "./record.ts";

/** The invariants that a record breaks; empty if all hold. */
export function brokenRules(record: DeliveryRecord): string[] {
  const spent = (budget: string) => record.attemptList.filter((attempt) => attempt.spends === budget).length;
  const rules: [string, boolean][] = [
    [
      "an outstanding or owed delivery has a next reconcile",
      record.nextReconcileAt !== null || !(isOutstanding(record) || isOwed(record)),
    ],
    [
      "a read is committed only with proof or by a person",
      record.readCommittedAt === null || record.proof !== null || record.status === "cancelled",
    ],
    ["a responded delivery has proof", record.status !== "responded" || record.proof !== null],
    [
      "a delivery that failed for good is unread",
      record.status !== "failed_terminal" || record.readCommittedAt === null,
    ],
    ["no more attempts than allowed", record.attempts <= record.maxAttempts && spent("attempts") === record.attempts],
    ["no more repairs than allowed", record.repairs <= record.maxRepairs && spent("repairs") === record.repairs],
    ["no attempt is sent too often", record.attemptList.every((attempt) => attempt.sends <= maxSendsPerAttempt)],
    ["attempt numbers are consecutive", record.attemptList.every((attempt, index) => attempt.number === index + 1)],
    [
      "only a proven delivery gets follow-ups, each kind once",
      record.proof !== null
        ? followUpKinds.every((kind) => record.attemptList.filter((attempt) => attempt.kind === kind).length <= 1)
        : !record.attemptList.some((attempt) => isFollowUp(attempt.kind)),
    ],
    ["a check for files has a time", record.claims === null || record.nextReconcileAt !== null],
    ["a sent delivery knows its runtime", record.attemptList.length === 0 || record.runtimeKind !== null],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

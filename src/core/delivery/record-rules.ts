/** What holds for every record at any time. `waybill store check` compares all records with it. */
import { followUpKinds, isFollowUp, maxSendsPerAttempt } from "./attempt.ts";
import type { DeliveryRecord } from "./record.ts";
import { isOutstanding, isOwed } from "./record.ts";

/** The rules that no record may break, whatever happened to it; empty when all hold. */
export function brokenRules(record: DeliveryRecord): string[] {
  const spent = (budget: string) => record.attemptList.filter((attempt) => attempt.spends === budget).length;
  const rules: [string, boolean][] = [
    [
      "what is outstanding or owed has a next look",
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
    ["attempt numbers go on", record.attemptList.every((attempt, index) => attempt.number === index + 1)],
    [
      "only what is proven is asked further, and nothing twice",
      record.proof !== null
        ? followUpKinds.every((kind) => record.attemptList.filter((attempt) => attempt.kind === kind).length <= 1)
        : !record.attemptList.some((attempt) => isFollowUp(attempt.kind)),
    ],
    ["files are looked for at a date", record.claims === null || record.nextReconcileAt !== null],
    ["a sent delivery knows its runtime", record.attemptList.length === 0 || record.runtimeKind !== null],
  ];
  return rules.filter(([, holds]) => !holds).map(([rule]) => rule);
}

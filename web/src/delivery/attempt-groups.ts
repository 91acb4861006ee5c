/**
 * The audit of a delivery, grouped by attempts. Consecutive reads that showed nothing new are one step. Pure.
 */
import type { DeliveryDetail } from "waybill/client";

export type Attempt = DeliveryDetail["attemptList"][number];
export type AuditRow = DeliveryDetail["audit"][number];

/** `times`: how often it happened in a row, the last time at `until`. */
export type Step = { key: string; row: AuditRow; times: number; until: string };

export type AttemptGroup =
  | { type: "attempt"; key: string; attempt: Attempt; steps: readonly Step[] }
  /** Before the first attempt, or between a person's retry and the attempt that follows it. */
  | { type: "waiting"; key: string; isRetried: boolean; steps: readonly Step[] };

type Input = Pick<DeliveryDetail, "audit" | "attemptList">;

export function groupByAttempt({ audit, attemptList }: Input): AttemptGroup[] {
  const sent = new Set(audit.filter(beginsAttempt).map(({ attempt }) => attempt));
  const groups: { attempt: Attempt | null; isRetried: boolean; rows: AuditRow[] }[] = [];
  const open = (attempt: Attempt | null, isRetried: boolean, rows: AuditRow[]) =>
    groups.push({ attempt, isRetried, rows });
  for (const row of audit) {
    if (beginsAttempt(row)) open(attemptList.find(({ number }) => number === row.attempt) ?? null, false, [row]);
    else if (row.event === "retried_by_person") open(null, true, [row]);
    else if (groups.length === 0) open(null, false, [row]);
    else groups.at(-1)?.rows.push(row);
    // Attempts found in transcripts after the record was lost have no row of their own.
    if (row.event === "attempts_searched") {
      for (const attempt of attemptList.filter(({ number }) => !sent.has(number))) open(attempt, false, []);
    }
  }
  return groups.map(({ attempt, isRetried, rows }, index): AttemptGroup => {
    const steps = stepsOf(rows);
    if (attempt) return { type: "attempt", key: `attempt ${attempt.number}`, attempt, steps };
    return { type: "waiting", key: `waiting ${index}`, isRetried, steps };
  });
}

function beginsAttempt({ event }: AuditRow): boolean {
  return event === "submit" || event === "submit_follow_up";
}

/** Merges consecutive reads with the same result. */
export function stepsOf(rows: readonly AuditRow[]): Step[] {
  const steps: Step[] = [];
  for (const [index, row] of rows.entries()) {
    const last = steps.at(-1);
    if (last && isSameLook(last.row, row)) steps[steps.length - 1] = { ...last, times: last.times + 1, until: row.at };
    else steps.push({ key: `${row.at} ${row.event} ${index}`, row, times: 1, until: row.at });
  }
  return steps;
}

/** Another read of the transcript with the same result. */
function isSameLook(one: AuditRow, other: AuditRow): boolean {
  return one.event === "reconciled" && shown(one) === shown(other);
}

/** What is shown of it, except its time. */
function shown({ event, reason, why, observed }: AuditRow): string {
  const { state, toolNames, assistantMessageId, diagnostics } = observed ?? {};
  return JSON.stringify([event, reason, why, state, toolNames, assistantMessageId, diagnostics]);
}

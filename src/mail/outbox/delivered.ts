/** The result of a try to send a row, and the change to store for it. Pure. */
import { backoffMs } from "./backoff.ts";
import type { OutboxChange, OutboxRow } from "./transport-box.ts";

/**
 * `part`: one part was taken, more follow. `later`: try again after `afterMs`, or after the backoff. `moved`: the
 * channel was renamed and the row moved there. `failed`: the other side will never take it. `ref` is the other side's
 * id of the part.
 */
export type Delivered =
  | { outcome: "sent"; ref: unknown }
  | { outcome: "part"; ref: unknown }
  | { outcome: "later"; afterMs: number | null; reason: string }
  | { outcome: "moved"; to: string }
  | { outcome: "failed"; reason: string };

export function changeAfter(row: OutboxRow, delivered: Delivered, now: number): OutboxChange {
  const { state, refs, attempts, nextTryAt, reason } = row;
  const before: OutboxChange = { state, refs, attempts, nextTryAt, reason };
  switch (delivered.outcome) {
    case "sent":
      return { ...before, state: "sent", refs: [...refs, delivered.ref], reason: null };
    case "part":
      return { ...before, refs: [...refs, delivered.ref], attempts: 0, nextTryAt: now, reason: null };
    case "later": {
      const failed = attempts + 1;
      const afterMs = delivered.afterMs ?? backoffMs(failed);
      return { ...before, attempts: failed, nextTryAt: now + afterMs, reason: delivered.reason };
    }
    case "moved":
      return { ...before, nextTryAt: now, reason: "moved" };
    case "failed":
      return { ...before, state: "failed", reason: delivered.reason };
    default:
      return delivered satisfies never;
  }
}

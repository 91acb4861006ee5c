/** What happens to the oldest waiting message of a lane that is free. Pure. */
import type { DeliveryRecord } from "../delivery/record.ts";
import type { Lane } from "../lane/lane.ts";
import { isPaused } from "../lane/lane.ts";

export type HeadDecision =
  /** Its record was lost, so it may have been sent: its attempts are looked up in the transcripts first. */
  | "find_attempts"
  | "expire"
  | "wait"
  /** It was sent before, and a person retried it: the old attempts may have been answered since. */
  | "reconcile"
  | "submit";

export function decideHead(record: DeliveryRecord, lane: Lane, now: number): HeadDecision {
  if (record.acceptanceUnknown) return "find_attempts";
  if (hasExpired(record, now)) return "expire";
  if (isPaused(lane)) return "wait";
  return record.attemptList.length > 0 ? "reconcile" : "submit";
}

/** A message expires before it is sent, or not at all. */
export function hasExpired(record: DeliveryRecord, now: number): boolean {
  if (record.status !== "pending" || record.attemptList.length > 0 || record.acceptanceUnknown) return false;
  return record.expiresAt !== null && record.expiresAt <= now;
}

/** Reconciles deliveries that are due without holding their lane: expiry, late proof, an owed read. */

import { hasExpired } from "../core/decision/submission.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { isOutstanding, isOwed, readsWithLedger } from "../core/delivery/record.ts";
import { expiryMail } from "../core/delivery/replies.ts";
import { mailContext } from "./commit-events.ts";
import { reconcile } from "./reconcile.ts";
import type { CourierDeps, StepContext } from "./step-context.ts";

export async function reconcileDetached(record: DeliveryRecord, step: StepContext): Promise<void> {
  if (record.status === "pending") await expire(record, step);
  else if (record.status === "failed_terminal" || owesAside(record)) await reconcile(record, step);
}

/** Its lane has been removed: there is nothing left to read. */
export async function reconcileWithoutLane(record: DeliveryRecord, { ledger, clock }: CourierDeps): Promise<void> {
  const at = clock.now();
  if (record.claims !== null) {
    await ledger.commit(record.id, [{ type: "files_checked", at, missing: [], next: null, reconcileAt: at }]);
  } else if (record.status === "failed_terminal") {
    const nothing = { observed: null, found: false, missed: false, reconcileAt: null };
    await ledger.commit(record.id, [{ type: "reconciled", at, reason: "lane_removed", ...nothing }]);
  }
}

/** Due, and blocking nothing: its lane is free or held by another delivery. */
function owesAside(record: DeliveryRecord): boolean {
  return (isOwed(record) || record.claims !== null) && !isOutstanding(record);
}

/** True if it has now ended. */
export async function expire(record: DeliveryRecord, step: StepContext): Promise<boolean> {
  const { clock, ledger, reads } = step;
  const at = clock.now();
  if (!hasExpired(record, at)) return false;
  const read = { readCommitted: readsWithLedger(record, reads), reconcileAt: at };
  const applied = await ledger.commit(
    record.id,
    [{ type: "withdrawn", at, by: "sender", reason: "expired", ...read }],
    expiryMail(record, await mailContext(record, step)),
  );
  return applied.outcome === "applied";
}

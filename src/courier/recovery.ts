/**
 * What happens at a start, before anything new is sent and after the runtimes have cleaned up after the last run:
 * times set by a wrong clock are moved back, lost records are rebuilt from unread messages, and every lane with work
 * is moved through the same courier.
 */

import { newDelivery } from "../core/delivery/record.ts";
import { rescheduled } from "../core/delivery/schedule.ts";
import { hasLimits, isLimitReason } from "../core/lane/lane.ts";
import { payloadHash } from "../core/message/message.ts";
import type { Courier } from "./courier.ts";
import type { CourierDeps } from "./step-context.ts";

export type RecoveryDeps = CourierDeps & { courier: Courier };

export async function recover(deps: RecoveryDeps): Promise<void> {
  const { store, courier } = deps;
  await resumeUnlimited(deps);
  await bringDatesBack(deps);
  await rebuildRecords(deps);
  // Not awaited: an agent that hangs must block neither the start nor other lanes.
  for (const { id, laneId } of await store.failedWithReply()) void courier.reconcileLateProof(id, laneId);
  for (const laneId of await store.lanesWithWork()) void courier.moveLane(laneId, { reconcile: true });
}

/** While Waybill runs its clock never goes back, so only an earlier run can have set times too far ahead. */
async function bringDatesBack({ store, ledger, clock, policy }: RecoveryDeps): Promise<void> {
  const now = clock.now();
  for (const record of await store.scheduledAfter(now)) {
    const event = rescheduled(record, policy, now);
    if (event) await ledger.commit(record.id, [event]);
  }
}

/**
 * Resumes lanes that a limit paused if no lane has a limit any more. While there are limits, the courier checks them.
 */
async function resumeUnlimited({ store, policy }: RecoveryDeps): Promise<void> {
  if (hasLimits(policy.limits)) return;
  for (const { id, pausedReason } of await store.lanes())
    if (isLimitReason(pausedReason)) await store.pauseLane(id, null);
}

/** An unread message without a record may have been sent: the courier searches the transcripts before it sends it. */
async function rebuildRecords({ store, ledger, clock, policy }: RecoveryDeps): Promise<void> {
  for (const message of await store.unrecorded()) {
    const lane = message.recipient.kind === "lane" ? await store.lane(message.recipient.lane) : null;
    if (!lane) continue;
    const fresh = newDelivery(message, payloadHash(message), lane, policy, clock.now());
    const record = { ...fresh, acceptanceUnknown: true };
    await ledger.rebuild(record);
  }
}

/** Ends a message whose time is over before it was sent; one that may have been sent does not expire. */

import type { DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { expiryMail } from "../core/delivery/replies.ts";
import type { StepContext } from "./step-context.ts";

/** True when it has ended now. */
export async function expire(record: DeliveryRecord, step: StepContext): Promise<boolean> {
  const { lane, clock, ledger, mailbox } = step;
  const at = clock.now();
  if (record.status !== "pending" || record.attemptList.length > 0 || record.acceptanceUnknown) return false;
  if (record.expiresAt === null || record.expiresAt > at) return false;
  const readCommitted = mailbox.commitsWithLedger;
  const event: DeliveryEvent = { type: "withdrawn", at, by: "sender", reason: "expired", readCommitted, lookAt: at };
  const applied = await ledger.commit(record.id, [event], [expiryMail(record, lane, at)]);
  return applied.outcome === "applied";
}

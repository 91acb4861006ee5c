/** Waits by the ledger: until a message has its outcome, and the turn that brought it is over. */
import type { DeliveryRecord } from "../../../../../delivery/record.ts";
import { isOutstanding, openStatuses } from "../../../../../delivery/record.ts";
import type { Desk } from "../../../../port.ts";
import type { TurnWanted } from "../session-deps.ts";

export async function deliveryEnd(desk: Desk, { lane, messageId, signal }: TurnWanted): Promise<void> {
  const after = await desk.now();
  const { items } = await desk.deliveries({ lane, messageId, limit: 1 });
  if (items[0] === undefined || isOver(items[0].record)) return;
  for await (const item of desk.follow({ after, lane, signal })) {
    if (item.type === "delivery" && item.record.messageId === messageId && isOver(item.record)) return;
    if (item.type === "lane" && item.lane === null) return;
  }
  throw new Error("Nobody waits any more.");
}

function isOver(record: DeliveryRecord): boolean {
  return record.status !== "pending" && !openStatuses.includes(record.status) && !isOutstanding(record);
}

/**
 * Waits until a message has its outcome by the ledger, the turn that brought it is over, and its end stands among the
 * lane's events, where the answer is read.
 */
import type { DeliveryRecord } from "../../../../../delivery/record.ts";
import { isOutstanding, openStatuses } from "../../../../../delivery/record.ts";
import type { Desk } from "../../../../port.ts";
import type { TurnWanted } from "../session-deps.ts";

export async function deliveryEnd(desk: Desk, wanted: TurnWanted): Promise<void> {
  await ledgerEnd(desk, wanted);
  await toldEnd(desk, wanted);
}

async function ledgerEnd(desk: Desk, { lane, messageId, signal }: TurnWanted): Promise<void> {
  const after = await desk.now();
  const { items } = await desk.deliveries({ lane, messageId, limit: 1 });
  if (items[0] === undefined || isOver(items[0].record)) return;
  for await (const item of desk.follow({ after, lane, signal })) {
    if (item.type === "delivery" && item.record.messageId === messageId && isOver(item.record)) return;
    if (item.type === "lane" && item.lane === null) return;
  }
  throw nobodyWaits();
}

async function toldEnd(desk: Desk, { lane, signal }: TurnWanted): Promise<void> {
  const after = await desk.eventsEnd();
  const newest = await desk.eventsBefore(lane, null, 200);
  if (newest.find(({ type }) => type === "turn.started" || type === "turn.ended")?.type !== "turn.started") return;
  for await (const told of desk.followEvents({ after, lane, signal })) {
    if (told.type === "event" && told.event.type === "turn.ended") return;
  }
  throw nobodyWaits();
}

function isOver(record: DeliveryRecord): boolean {
  return record.status !== "pending" && !openStatuses.includes(record.status) && !isOutstanding(record);
}

function nobodyWaits(): Error {
  return new Error("Nobody waits any more.");
}

/** What events do to a delivery in the store, and how a delivery whose record is gone begins again. */
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { isOutstanding } from "../delivery/record.ts";
import { applyEvents } from "../delivery/transition.ts";
import type { Lane } from "../lane/lane.ts";
import type { OutgoingMail } from "../message/message.ts";
import type { Applied, Plan } from "./writes.ts";

export type DeliveryFacts = {
  record: DeliveryRecord | null;
  lane: Lane | null;
  /** The delivery that holds the lane. */
  holder: string | null;
};

/** All events or none, with the mail that goes with them. */
export function planEvents(
  { record: before, lane, holder }: DeliveryFacts,
  events: readonly DeliveryEvent[],
  messages: readonly OutgoingMail[],
): Plan<Applied> {
  if (!before) return refused("delivery_unknown", null);
  const next = applyEvents(before, events, lane);
  if ("refused" in next) return refused(next.reason, before);
  const { record, effects } = next;
  if (isOutstanding(record) && holder !== null && holder !== record.id) {
    return refused("lane_held_by_another_delivery", before);
  }
  const isRead = before.readCommittedAt === null && record.readCommittedAt !== null;
  return {
    result: { outcome: "applied", record, effects, before },
    writes: {
      change: { before, record },
      events,
      messages,
      ...(isRead && record.readCommittedAt !== null ? { readAt: record.readCommittedAt } : {}),
    },
  };
}

export type RebuildFacts = { isMessageKnown: boolean; existing: DeliveryRecord | null };

/** A record for a message that has none. */
export function planRebuild({ isMessageKnown, existing }: RebuildFacts, record: DeliveryRecord): Plan<Applied> {
  if (!isMessageKnown) return refused("message_unknown", null);
  if (existing) return refused("delivery_known", existing);
  return {
    result: { outcome: "applied", record, effects: [] },
    writes: { delivery: record, events: [{ type: "rebuilt", at: record.createdAt, record }] },
  };
}

function refused(reason: string, record: DeliveryRecord | null): Plan<Applied> {
  return { result: { outcome: "refused", reason, record } };
}

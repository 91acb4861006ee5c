/** What is written back to a sender, in the same transaction as the end of the delivery. */
import type { Clock } from "../clock.ts";
import type { OutgoingMail } from "../store/port.ts";
import type { DeliveryEvent } from "./delivery-event.ts";
import type { Lane } from "./lane.ts";
import type { DeliveryRecord } from "./record.ts";

export type ReplyWriter = {
  answer(record: DeliveryRecord, lane: Lane, text: string, at: number): OutgoingMail;
  failure(record: DeliveryRecord, lane: Lane, reason: string, at: number): OutgoingMail;
  expiry(record: DeliveryRecord, lane: Lane, at: number): OutgoingMail;
};

/** The agent's answer, and the news that nothing more will come. */
export function mailFor(
  record: DeliveryRecord,
  events: readonly DeliveryEvent[],
  answer: string | null,
  { lane, replies, clock }: { lane: Lane; replies: ReplyWriter; clock: Clock },
): OutgoingMail[] {
  const at = clock.now();
  const bad = events.flatMap((event) =>
    event.type === "failed_terminal" || (event.type === "cancelled" && event.by === "session") ? [event.reason] : [],
  );
  return [
    ...(answer === null ? [] : [replies.answer(record, lane, answer, at)]),
    ...bad.map((reason) => replies.failure(record, lane, reason, at)),
  ];
}

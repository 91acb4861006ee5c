/** The strongest proof there is: the answer stands where it belongs, is from this lane, and names the message. */
import type { Store } from "../store/port.ts";
import type { DestinationReply } from "./decision.ts";
import type { Lane } from "./lane.ts";
import type { DeliveryRecord } from "./record.ts";
import { judgeReply } from "./sufficiency.ts";

/** Of several, one that suffices, or else the newest. */
export async function destinationReply(
  record: DeliveryRecord,
  lane: Lane,
  store: Store,
): Promise<DestinationReply | null> {
  const wanted = record.replyRecipient.toLowerCase();
  const replies = (await store.repliesTo(record.messageId, lane.id)).flatMap((reply) => {
    const mailbox = reply.recipient.kind === "person" ? reply.recipient.name : reply.recipient.lane;
    return mailbox.toLowerCase() === wanted ? [{ ...reply, mailbox }] : [];
  });
  const best = replies.find((reply) => judgeReply(reply, lane.contract).sufficient) ?? replies.at(-1);
  return best ? { messageId: best.id, mailbox: best.mailbox, text: best.text, summary: best.summary } : null;
}

/** The strongest proof there is: the answer stands where it belongs, is from this lane, and names the message. */

import type { DestinationReply } from "../core/decision/decision.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Lane } from "../core/lane/lane.ts";
import { judgeReply } from "../core/proof/sufficiency.ts";
import type { Store } from "../store/port.ts";

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

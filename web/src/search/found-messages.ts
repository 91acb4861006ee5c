/** Search results as they are listed. Pure. */
import type { Delivery, Message, MessagePage } from "waybill/client";

/** `deliveryId`: of the message itself, or of the message that it replies to. */
export type FoundMessage = { message: Message; delivery: Delivery | null; deliveryId: string | null };

/** The messages of all pages, each with its delivery if it has one. */
export function foundMessages(pages: readonly MessagePage[]): FoundMessage[] {
  return pages.flatMap(({ messages, deliveries = [] }) => {
    const byMessage = new Map(deliveries.map((delivery) => [`${delivery.lane} ${delivery.messageId}`, delivery]));
    return messages.map((message) => {
      const isToLane = "lane" in message.to || "member" in message.to;
      const delivery = (isToLane && byMessage.get(`${message.lane} ${message.id}`)) || null;
      return { message, delivery, deliveryId: delivery?.id ?? answeredDelivery(message) };
    });
  });
}

/** The ids of Waybill's replies contain the delivery's id. */
function answeredDelivery({ id, relayOfMessageId }: Message): string | null {
  if (relayOfMessageId === null) return null;
  return /^(?:answer|remark|failure|expiry|waiting)-([0-9a-f]{64})(?:-|$)/.exec(id)?.[1] ?? null;
}

/** Who wrote to whom. The conversation is named only if it is not theirs. */
export function partiesOf(message: Message, nameOf: (lane: string) => string): { from: string; rest: string } {
  const { from, to, lane } = message;
  const recipient = "lane" in to ? nameOf(to.lane) : "person" in to ? to.person : `${to.member} of ${to.team}`;
  const isTheirs = lane === null || from === lane || ("lane" in to && to.lane === lane);
  const place = isTheirs ? "" : ` in ${nameOf(lane)}`;
  return {
    from: from === "user" ? "You" : from === "waybill" ? "Waybill" : nameOf(from),
    rest: `to ${recipient === "user" ? "you" : recipient}${place}`,
  };
}

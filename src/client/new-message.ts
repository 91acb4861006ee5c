/** Prepares a message for the daemon, and checks whether its result can be waited for. */
import type { NewMessage, SendResult, Sent } from "./shapes.ts";
import { WaybillError } from "./waybill-error.ts";

/** `waits` says why it is not sent yet. */
export type SentDelivery = Sent & Pick<SendResult, "waits">;

/** Only a delivery has an outcome that can be waited for. */
export function asDelivery(sent: SendResult): SentDelivery {
  const { deliveryId, status } = sent;
  if (deliveryId !== null && status !== "handed_over") return { ...sent, deliveryId, status };
  throw new WaybillError({
    code: "no_delivery",
    message: `Message "${sent.messageId}" waits in a mailbox to be read, so its answer cannot be awaited.`,
    hint: "Send it without waiting.",
    status: 202,
  });
}

export function withId(message: NewMessage): NewMessage & { messageId: string } {
  return { ...message, messageId: message.messageId ?? newMessageId() };
}

/** Not `randomUUID`, which browsers withhold from pages served without TLS. */
function newMessageId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `msg-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

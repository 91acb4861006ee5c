/** Prepares a message, and waits for its outcome: through the stream, across daemon restarts, without polling. */
import type { Opened, StreamOptions } from "./event-stream.ts";
import type { DeliveryDetail, DeliveryStreamEvent, NewMessage, SendResult, Sent, StreamEvent } from "./shapes.ts";
import { hasOutcome } from "./shapes.ts";
import { WaybillError } from "./waybill-error.ts";

export type WaitOptions = {
  /** Ends the wait, not the delivery: rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Called for everything that happens to the delivery during the wait, in order. */
  onEvent?: ((event: DeliveryStreamEvent) => void) | undefined;
  onError?: StreamOptions["onError"];
};

export type Begin = () => Promise<Pick<Sent, "deliveryId" | "status" | "responsePending">>;

type OutcomeDeps = {
  follow: (options: StreamOptions) => AsyncIterable<StreamEvent | Opened>;
  delivery: (id: string) => Promise<DeliveryDetail>;
};

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

/** The events that end a delivery. An event carries the delivery's current state, so its status may be ahead of it. */
const endings = ["proven", "turn_ended", "failed_terminal", "cancelled", "withdrawn"];

/**
 * `begin` sends the message or looks it up once the stream is open: the stream has everything from then on, and a new
 * connection catches up.
 */
export async function outcome(
  deps: OutcomeDeps,
  lane: string | undefined,
  begin: Begin,
  { signal, onEvent, onError }: WaitOptions,
): Promise<DeliveryDetail> {
  let id: string | null = null;
  for await (const event of deps.follow({ lane, signal, onError })) {
    if (event.type === "open" && id === null) {
      const begun = await begin();
      id = begun.deliveryId;
      if (hasOutcome(begun)) return deps.delivery(id);
    } else if (event.type === "reset" && id !== null) {
      const delivery = await deps.delivery(id);
      if (hasOutcome(delivery)) return delivery;
    } else if (event.type === "delivery" && event.delivery.id === id) {
      onEvent?.(event);
      if (endings.includes(event.event) && hasOutcome(event.delivery)) return deps.delivery(id);
    }
  }
  signal?.throwIfAborted();
  throw new DOMException("The wait was aborted.", "AbortError");
}

/** The signs that a message was saved, waits, or was started. Pure. */
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { SendResult } from "../../../service/service.ts";
import type { IncomingMessage } from "../updates/read-update.ts";
import type { Keyboard } from "./chat-row.ts";
import { row, say } from "./say.ts";

/** The row that says that a message waits. */
export function waitingKey(deliveryId: string): string {
  return `waiting:${deliveryId}`;
}

/** The row that says that it was started. */
export function startedKey(deliveryId: string): string {
  return `started:${deliveryId}`;
}

/** The row that says for the nth time that it still runs. In a group it takes the place of the one above. */
export function progressKey(deliveryId: string, count: number): string {
  return `progress:${deliveryId}:${count}`;
}

/** The one message in the chat that shows how a running delivery is getting on, under its newest name first. */
export function signKeys(deliveryId: string): readonly string[] {
  return [startedKey(deliveryId), progressKey(deliveryId, 1)];
}

export function savedSign({ place, messageId }: IncomingMessage): NewOutboxRow {
  return row(place, `saved:${place.chat}:${messageId}`, { kind: "react", message: messageId, emoji: "👀" });
}

/** For a message that does not start at once. */
export function waitingSign({ place, messageId }: IncomingMessage, { delivery, waits }: SendResult): NewOutboxRow[] {
  if (delivery?.record.status !== "pending") return [];
  if (delivery.queuedBehind === null && waits === null) return [];
  const why = waits === null ? "an earlier message is being worked on" : waits;
  const { id } = delivery.record;
  const buttons = waitingButtons(delivery.record.messageId);
  const onlyWhile = { delivery: id, phase: "waiting" as const };
  return [say(place, waitingKey(id), `⏳ Queued: ${why}.`, { replyTo: messageId, buttons, onlyWhile })];
}

/** Names the message by its number in the chat: the data of a button holds 64 bytes. */
export function waitingButtons(messageId: string): Keyboard {
  const name = buttonName(messageId);
  return [
    [
      { text: "Why?", data: `why:${name}` },
      { text: "Withdraw", data: `withdraw:${name}` },
    ],
  ];
}

export function stopButtons(messageId: string): Keyboard {
  return [[{ text: "Stop", data: `stop:${buttonName(messageId)}` }]];
}

export function failureButtons(messageId: string): Keyboard {
  const name = buttonName(messageId);
  return [
    [
      { text: "Retry", data: `retry:${name}` },
      { text: "Why?", data: `why:${name}` },
    ],
  ];
}

/** What follows the chat in a message id: the number, and the time of an edit. */
function buttonName(messageId: string): string {
  return messageId.split(":").slice(3).join(":");
}

/** The signs in a chat that a message is stored, is waiting, or was started. Pure. */
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { SendResult } from "../../../service/service.ts";
import type { IncomingMessage } from "../updates/read-update.ts";
import type { Keyboard } from "./chat-row.ts";
import { row, say } from "./chat-row.ts";

/** The row that shows that a message is waiting. */
export function waitingKey(deliveryId: string): string {
  return `waiting:${deliveryId}`;
}

/** The row that shows that a message was started. */
export function startedKey(deliveryId: string): string {
  return `started:${deliveryId}`;
}

/** The row of the nth progress report. In a group it replaces the started row. */
export function progressKey(deliveryId: string, count: number): string {
  return `progress:${deliveryId}:${count}`;
}

/** The keys that may name the one message showing a running delivery's progress, in order of preference. */
export function signKeys(deliveryId: string): readonly string[] {
  return [startedKey(deliveryId), progressKey(deliveryId, 1)];
}

export function savedSign({ place, messageId }: IncomingMessage): NewOutboxRow {
  return row(place, `saved:${place.chat}:${messageId}`, { kind: "react", message: messageId, emoji: "👀" });
}

/** For a message that does not start immediately. */
export function waitingSign({ place, messageId }: IncomingMessage, { delivery, waits }: SendResult): NewOutboxRow[] {
  if (delivery?.record.status !== "pending") return [];
  if (delivery.queuedBehind === null && waits === null) return [];
  const why = waits === null ? "an earlier message is being worked on" : waits;
  const { id } = delivery.record;
  const buttons = deliveryButtons(delivery.record.messageId, "why", "withdraw");
  const onlyWhile = { delivery: id, phase: "waiting" as const };
  return [say(place, waitingKey(id), `⏳ Queued: ${why}.`, { replyTo: messageId, buttons, onlyWhile })];
}

/** What the buttons below a message do. */
const labels = { why: "Why?", withdraw: "Withdraw", stop: "Stop", retry: "Retry" };
export type DeliveryAction = keyof typeof labels;

/** Identifies the message by its number in the chat, and by its edit, because a button's data holds only 64 bytes. */
export function deliveryButtons(messageId: string, ...actions: readonly DeliveryAction[]): Keyboard {
  const name = messageId.split(":").slice(3).join(":");
  return [actions.map((action) => ({ text: labels[action], data: `${action}:${name}` }))];
}

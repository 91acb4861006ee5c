/** Refers to a message by its id, or by a message of the Bot API or of the chat view. */
import type { ChatState, StoredMessage } from "../state/chat.ts";

export type MessageRef = number | { message_id: number } | { id: number };

export function messageId(ref: MessageRef): number {
  if (typeof ref === "number") return ref;
  return "message_id" in ref ? ref.message_id : ref.id;
}

export function findMessage(chat: ChatState, ref: MessageRef): StoredMessage {
  const stored = chat.messages.get(messageId(ref));
  if (!stored) throw new Error(`The chat has no message ${messageId(ref)}.`);
  return stored;
}

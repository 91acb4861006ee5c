/** Shorthands for a chat's outbox rows. Pure. */
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { ChatRow } from "./chat-row.ts";

export type Where = { chat: number; thread: number | null };

export function row({ chat }: Pick<Where, "chat">, key: string, body: ChatRow): NewOutboxRow {
  return { key, channel: String(chat), body };
}

type TextOptions = Omit<Extract<ChatRow, { kind: "text" }>, "kind" | "thread" | "markdown">;

export function say(where: Where, key: string, markdown: string, options: TextOptions = {}): NewOutboxRow {
  return row(where, key, { kind: "text", thread: where.thread, markdown, ...options });
}

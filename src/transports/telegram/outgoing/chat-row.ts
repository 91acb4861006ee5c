/** An outbox row for a chat: content and place, not calls. The format is chosen when the row is sent. Pure. */
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { Place } from "../updates/read-update.ts";
import type { Style } from "./parts.ts";

export type Button = { text: string; data: string };
export type Keyboard = readonly (readonly Button[])[];

/** Of a delivery. `ended`: the result has been shown, or is about to be. */
export type Phase = "waiting" | "running" | "ended";

/** Rows refer to the messages of other rows by the keys of those rows. */
export type ChatRow =
  | {
      kind: "text";
      thread: number | null;
      markdown: string;
      /** The message to reply to. */
      replyTo?: number;
      buttons?: Keyboard;
      /** Keys of rows: the first one that was sent is edited into this text. If none was, this is a new message. */
      replaces?: readonly string[];
      /** Makes the client open a reply to this message. */
      forceReply?: boolean;
      /** The row is skipped once the delivery has left this phase: a later row reports what happened. */
      onlyWhile?: { delivery: string; phase: Phase };
    }
  /** Edits the message of another row; does nothing if that was not sent. */
  | { kind: "edit"; of: string; markdown: string; buttons?: Keyboard }
  | { kind: "delete"; of: string }
  | { kind: "react"; message: number; emoji: string | null }
  /** A file on disk, or a text as a file. */
  | {
      kind: "file";
      thread: number | null;
      name: string;
      source: { path: string } | { text: string };
      caption?: string;
      replyTo?: number;
    };

/**
 * How many parts of a text were sent in each style, which later parts depend on. Parts that an earlier version sent with
 * entities do not count (ADR 24).
 */
export function countParts(refs: readonly unknown[]): Record<Style, number> {
  const count = (style: Style) =>
    refs.filter((ref) => typeof ref === "object" && ref !== null && "style" in ref && ref.style === style).length;
  return { rich: count("rich"), plain: count("plain") };
}

/** The first message that a row was sent as. */
export function messageOf(refs: readonly unknown[]): number | null {
  for (const ref of refs) {
    if (typeof ref === "object" && ref !== null && "message" in ref && typeof ref.message === "number") {
      return ref.message;
    }
  }
  return null;
}

/** Where in Telegram a row is shown. */
export type Where = Pick<Place, "chat" | "thread">;

export function row({ chat }: Pick<Where, "chat">, key: string, body: ChatRow): NewOutboxRow {
  return { key, channel: String(chat), body };
}

type TextOptions = Omit<Extract<ChatRow, { kind: "text" }>, "kind" | "thread" | "markdown">;

export function say(where: Where, key: string, markdown: string, options: TextOptions = {}): NewOutboxRow {
  return row(where, key, { kind: "text", thread: where.thread, markdown, ...options });
}

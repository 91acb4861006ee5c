/** What the outbox keeps for a chat: content and place, not calls. How it is shown is decided when it is sent. */
import type { Phase } from "./delivery-phase.ts";

export type Button = { text: string; data: string };
export type Keyboard = readonly (readonly Button[])[];

/** `key` of another row stands for the message that this row became. */
export type ChatRow =
  | {
      kind: "text";
      thread: number | null;
      markdown: string;
      /** The message that it replies to. */
      replyTo?: number;
      buttons?: Keyboard;
      /** Keys of rows: the first that was sent becomes this text, so that the chat stays short. Else a new message. */
      replaces?: readonly string[];
      /** Asks the client to open a reply to this message. */
      forceReply?: boolean;
      /** It is not sent any more when the delivery has gone on: what became of that stands in a later row. */
      onlyWhile?: { delivery: string; phase: Phase };
    }
  /** Changes a message that was sent; nothing where none was. */
  | { kind: "edit"; of: string; markdown: string; buttons?: Keyboard }
  | { kind: "delete"; of: string }
  | { kind: "react"; message: number; emoji: string | null }
  /** A file of the disk, or a text as a file. */
  | {
      kind: "file";
      thread: number | null;
      name: string;
      source: { path: string } | { text: string };
      caption?: string;
      replyTo?: number;
    };

/** A message that a row became. `style`: how a part of a text was shown, because the parts that follow depend on it. */
export type MessageRef = { message: number | null; style?: "rich" | "text" };

/** How many parts of a text were sent in each style. */
export function countParts(refs: readonly unknown[]): { rich: number; text: number } {
  const isRich = (ref: unknown) => typeof ref === "object" && ref !== null && "style" in ref && ref.style === "rich";
  const rich = refs.filter(isRich).length;
  return { rich, text: refs.length - rich };
}

/** The first of the messages that a row became. */
export function messageOf(refs: readonly unknown[]): number | null {
  for (const ref of refs) {
    if (typeof ref === "object" && ref !== null && "message" in ref && typeof ref.message === "number") {
      return ref.message;
    }
  }
  return null;
}

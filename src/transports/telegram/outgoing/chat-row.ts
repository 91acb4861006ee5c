/** What the outbox keeps for a chat: content and place, not calls. How it is shown is decided when it is sent. */

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

/** The id of a message that a row became; the first of several. */
export type MessageRef = { message: number };

export function messageOf(refs: readonly unknown[]): number | null {
  for (const ref of refs) {
    if (typeof ref === "object" && ref !== null && "message" in ref && typeof ref.message === "number") {
      return ref.message;
    }
  }
  return null;
}

/** What happened in the inbox files of a team, as people see it in the stream. Nothing in it quotes a message. */
import type { HandOverState } from "./hand-over.ts";
import type { SystemRowType } from "./system-row.ts";

export const fileProblems = [
  "corrupt",
  "too_large",
  "link",
  "read_only",
  "locked",
  "unwritable",
  "unreadable",
  "directory_missing",
] as const;
export type FileProblem = (typeof fileProblems)[number];

export const inboxEvents = [
  /** The row of a message has another state now. */
  "hand_over",
  /** The row of a message was written again, because an older file had come back. */
  "restored",
  /** A member or its program said something that is no message. */
  "system_row",
  /** A row cannot be taken: it is no row, or its id belongs to another message. */
  "row_refused",
  /** A file or the directory cannot be used at present. */
  "problem",
  /** It can be used again. */
  "usable",
] as const;
export type InboxEvent = (typeof inboxEvents)[number];

export type InboxNote = {
  team: string;
  /** The member whose inbox it is, or `user`; null for the directory. */
  inbox: string | null;
  event: InboxEvent;
  /** The message or row that it is about. */
  messageId: string | null;
  state: HandOverState | null;
  /** Of a system row. */
  rowType: SystemRowType | null;
  from: string | null;
  /** A stable code: of a problem, or why. */
  reason: string | null;
  /** For people. */
  detail: string | null;
};

export function inboxNote(
  note: Pick<InboxNote, "team" | "inbox" | "event"> & Partial<Omit<InboxNote, "team" | "inbox" | "event">>,
): InboxNote {
  return { messageId: null, state: null, rowType: null, from: null, reason: null, detail: null, ...note };
}

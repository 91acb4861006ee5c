/** Events in a team's inbox files, as people see them in the stream. They never quote a message. */
import type { HandOverState } from "./hand-over.ts";

/**
 * A row that carries a message from one program to another: its text is JSON with a `type`. A task assignment is work for
 * an agent; all others are news or requests, and never become prompts.
 */
export const systemRowTypes = [
  "idle_notification",
  "shutdown_request",
  "shutdown_approved",
  "shutdown_rejected",
  "shutdown_response",
  "permission_request",
  "permission_response",
  "plan_approval_request",
  "plan_approval_response",
  "task_assignment",
] as const;
export type SystemRowType = (typeof systemRowTypes)[number];

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
  /** The state of a message's row changed. */
  "hand_over",
  /** A message's row was written again, because an older version of the file came back. */
  "restored",
  /** A member or its program wrote something that is not a message. */
  "system_row",
  /** A row cannot be taken: it is not a valid row, or its id belongs to another message. */
  "row_refused",
  /** A file or the directory is currently unusable. */
  "problem",
  /** It is usable again. */
  "usable",
] as const;
export type InboxEvent = (typeof inboxEvents)[number];

export type InboxNote = {
  team: string;
  /** The member who owns the inbox, or `user`; null for the directory. */
  inbox: string | null;
  event: InboxEvent;
  /** The message or row concerned. */
  messageId: string | null;
  state: HandOverState | null;
  /** For a system row. */
  rowType: SystemRowType | null;
  from: string | null;
  /** A stable code: the problem or the reason. */
  reason: string | null;
  /** For people to read. */
  detail: string | null;
};

export function inboxNote(
  note: Pick<InboxNote, "team" | "inbox" | "event"> & Partial<Omit<InboxNote, "team" | "inbox" | "event">>,
): InboxNote {
  return { messageId: null, state: null, rowType: null, from: null, reason: null, detail: null, ...note };
}

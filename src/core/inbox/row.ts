/**
 * Rows of inbox files: arrays of JSON objects in which the members of a team write to each other. The contents of a
 * row are untrusted, so each row is validated: its kind, its message and its requests. Pure.
 */
import { createHash } from "node:crypto";
import type { ActionMode, Attachment, TaskRef } from "../message/message.ts";
import { actionModes, maxAttachments, maxCharacters, messageIdPattern } from "../message/message.ts";
import type { SystemRowType } from "./inbox-note.ts";
import { systemRowTypes } from "./inbox-note.ts";

/** As stored in the file. Unknown fields survive every rewrite. */
export type InboxRow = Readonly<Record<string, unknown>>;

/**
 * `classic`: rows have a `messageId`, stay in the file and are marked as read. `session`: the team of one Claude Code
 * session; rows have a `msg_id`, and a reader removes the rows it takes.
 */
export type RowForm = "classic" | "session";

export type ParsedRow = {
  /** The row's own id, or one derived from its contents. */
  id: string;
  /** Covers the contents; the read flag may change. */
  hash: string;
  from: string;
  text: string;
  summary: string | null;
  sentAt: number;
  isRead: boolean;
  relayOfMessageId: string | null;
  actionMode: ActionMode | null;
  taskRefs: readonly TaskRef[];
  attachments: readonly Attachment[];
  /** A message from one program to another; never becomes a prompt. */
  system: SystemRow | null;
};

export type InvalidRow = { invalid: string };

export function parseRow(value: unknown): ParsedRow | InvalidRow {
  if (!isRow(value)) return { invalid: "it is not an object" };
  const { from, text, timestamp } = value;
  if (typeof from !== "string" || from.trim() === "") return { invalid: "`from` is not a name" };
  if (typeof text !== "string" || text.trim() === "") return { invalid: "`text` is empty or not a string" };
  if (text.length > maxCharacters) return { invalid: `\`text\` is longer than ${maxCharacters} characters` };
  const sentAt = timeOf(timestamp);
  if (sentAt === null) return { invalid: "`timestamp` is not a time" };
  return {
    id: rowId(value) ?? derivedId(value),
    hash: bodyHash(value),
    from: from.trim(),
    text,
    summary: nonEmpty(value.summary)?.slice(0, 1000) ?? null,
    sentAt,
    isRead: value.read === true,
    relayOfMessageId: messageId(value.relayOfMessageId),
    actionMode: actionModes.find((mode) => mode === value.actionMode) ?? null,
    taskRefs: taskRefsIn(value.taskRefs),
    attachments: attachmentsIn(value.attachments),
    system: systemRowIn(text),
  };
}

export function isRow(value: unknown): value is InboxRow {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The row's own id if it is a valid message id, else null. */
export function rowId(row: InboxRow): string | null {
  return messageId(row.messageId) ?? messageId(row.msg_id);
}

/** The key that finds a row in its file; null for a value that is not a row. */
export function rowKey(value: unknown): string | null {
  return isRow(value) ? (rowId(value) ?? derivedId(value)) : null;
}

/** Deterministic: the same row always gets the same id. */
function derivedId({ from, timestamp, text }: InboxRow): string {
  const said = [from, timestamp, text].map((part) => (typeof part === "string" ? part : JSON.stringify(part ?? null)));
  return `row-${createHash("sha256").update(said.join("\0")).digest("hex")}`;
}

/** Covers the parts that make up the message, and none that programs add later. */
function bodyHash(row: InboxRow): string {
  const { from, text, timestamp, summary, actionMode, taskRefs, relayOfMessageId, attachments } = row;
  const said = [from, text, timestamp, summary, actionMode, taskRefs, relayOfMessageId].map((part) => part ?? null);
  const body = attachments === undefined ? said : [...said, attachments];
  return createHash("sha256").update(JSON.stringify(body)).digest("hex");
}

/** The form of a file's rows; null if no row shows it. */
export function formOfRows(rows: readonly unknown[]): RowForm | null {
  for (const row of rows) {
    if (!isRow(row)) continue;
    if (row.msgV !== undefined || row.msg_id !== undefined) return "session";
    if (row.messageId !== undefined) return "classic";
  }
  return null;
}

function messageId(value: unknown): string | null {
  return typeof value === "string" && messageIdPattern.test(value) ? value : null;
}

function nonEmpty(value: unknown): string | null {
  return typeof value === "string" && value.trim() !== "" ? value : null;
}

function timeOf(value: unknown): number | null {
  const time = typeof value === "number" ? value : typeof value === "string" ? Date.parse(value) : Number.NaN;
  return Number.isFinite(time) && time >= 0 && time < 8.64e15 ? Math.trunc(time) : null;
}

const maxTaskRefs = 100;

/** Tools that write these rows use several names for the same fields. */
export function taskRefsIn(value: unknown): TaskRef[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxTaskRefs).flatMap((one): TaskRef[] => {
    if (typeof one === "string" || typeof one === "number") return taskRef(String(one), null, null);
    if (!isRow(one)) return [];
    const id = one.id ?? one.taskId;
    if (typeof id !== "string" && typeof id !== "number") return [];
    return taskRef(String(id), nonEmpty(one.team ?? one.teamName), nonEmpty(one.title ?? one.subject));
  });
}

/** Every entry in the list counts as a file: a message is not sent without its files. */
function attachmentsIn(value: unknown): Attachment[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, maxAttachments).map((one, index) => {
    const { id, name, filename, mimeType, size }: InboxRow = isRow(one) ? one : { name: one };
    return {
      id: nonEmpty(id)?.trim().slice(0, 128) ?? String(index + 1),
      name: (nonEmpty(name) ?? nonEmpty(filename) ?? "file").slice(0, 255),
      mimeType: nonEmpty(mimeType)?.slice(0, 255) ?? "application/octet-stream",
      size: typeof size === "number" && Number.isSafeInteger(size) && size >= 0 ? size : 0,
    };
  });
}

export function taskRef(id: string, team: string | null, title: string | null): TaskRef[] {
  const name = id.trim();
  if (name === "" || name.length > 128) return [];
  return [
    {
      id: name,
      ...(team === null || team.length > 128 ? {} : { team: team.trim() }),
      ...(title === null ? {} : { title: title.slice(0, 500) }),
    },
  ];
}

export type SystemRow = {
  type: SystemRowType;
  /** The id that an answer has to name. */
  requestId: string | null;
  /** All other fields. */
  data: Readonly<Record<string, unknown>>;
};

/** Null for text written by people or agents, and for JSON of an unknown type. */
export function systemRowIn(text: string): SystemRow | null {
  const trimmed = text.trim();
  if (!trimmed.startsWith("{") || !trimmed.endsWith("}")) return null;
  const data = objectIn(trimmed);
  const type = systemRowTypes.find((one) => one === data?.type);
  if (!data || type === undefined) return null;
  const requestId = data.requestId ?? data.request_id;
  return { type, requestId: typeof requestId === "string" ? requestId : null, data };
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}

/** Whether the sender has agreed to be shut down. */
export function isShutdownApproval({ type, data }: SystemRow): boolean {
  return type === "shutdown_approved" || (type === "shutdown_response" && (data.approve ?? data.approved) === true);
}

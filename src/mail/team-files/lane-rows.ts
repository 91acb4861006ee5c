/**
 * Rows for a member that Waybill runs. Each unread one is admitted as a message; its row is flagged as read once that is
 * answered. What one program tells another is shown, and answered by a person where it wants an answer; it is never a prompt.
 */
import { AppError } from "../../app-error.ts";
import { payloadMismatch } from "../../core/delivery/reasons.ts";
import type { ParsedRow } from "../../core/inbox/row.ts";
import { fileSender, taskRef } from "../../core/inbox/row.ts";
import type { SystemRow } from "../../core/inbox/system-row.ts";
import { laneAddress } from "../../core/message/address.ts";
import type { Mail, TaskRef } from "../../core/message/message.ts";
import type { Member } from "../../core/team/team.ts";
import type { NewMessage } from "../message-schema.ts";
import type { FolderContext } from "./folder-context.ts";
import { answeredMessage, replyTo } from "./row-sender.ts";

export type LaneMember = { name: string; lane: string };

/** Null for a member that Waybill does not run. */
export function laneMember({ name, lane }: Member): LaneMember | null {
  return lane === null ? null : { name, lane };
}

/**
 * `waits`: its message is on its way, and its row stays unread. `done`: it was answered or needs no answer, and its row is to be
 * flagged as read. `conflict`: another body was admitted under its id.
 */
export type TakenRow = { outcome: "waits" | "done" | "conflict" } | { outcome: "refused"; reason: string };

export async function takeLaneRow(row: ParsedRow, member: LaneMember, context: FolderContext): Promise<TakenRow> {
  const { store, admission, team, since, failPoint } = context;
  const known = await store.message(laneAddress(member.lane), row.id);
  if (known) return isSame(known, row) ? afterAdmission(known, member, context) : { outcome: "conflict" };
  const inboxFile = { team: team.name, member: member.name, rowHash: row.hash };
  try {
    await admission.admit(await messageIn(row, member, context), {
      row: { inboxFile, sentAt: row.sentAt, mayHaveBeenSent: row.sentAt < since },
    });
    failPoint?.("inbox.admitted");
    return { outcome: "waits" };
  } catch (error) {
    // What passes, as a full disk does, is no fault of the row.
    if (error instanceof AppError && !error.retryable) return { outcome: "refused", reason: error.code };
    throw error;
  }
}

function isSame({ inboxFile }: Mail, { hash }: ParsedRow): boolean {
  return inboxFile?.rowHash === hash;
}

/** What was answered has its read; then the row only lost its flag. Records of what was answered are not kept for ever. */
async function afterAdmission({ id, readAt }: Mail, { lane }: LaneMember, { store }: FolderContext): Promise<TakenRow> {
  const record = await store.deliveryOf(lane, id);
  return { outcome: (record ? record.readCommittedAt : readAt) === null ? "waits" : "done" };
}

async function messageIn(row: ParsedRow, member: LaneMember, context: FolderContext): Promise<NewMessage> {
  const assignment = row.system?.type === "task_assignment" ? assignmentIn(row.system) : null;
  const answered = assignment ? null : await answeredMessage(row, context);
  return {
    id: row.id,
    to: { lane: member.lane },
    from: row.from.slice(0, 128),
    text: assignment?.text ?? answered?.text ?? row.text,
    summary: row.summary ?? undefined,
    actionMode: row.actionMode ?? (assignment ? "do" : undefined),
    taskRefs: [...(assignment?.taskRefs ?? row.taskRefs)],
    attachments: [...row.attachments],
    relayOfMessageId: answered?.message.id,
    replyTo: row.from === fileSender ? undefined : replyTo(row, member.name, context),
    source: "watcher",
  };
}

/** What an assigned task says to whoever is to do it. */
function assignmentIn({ data }: SystemRow): { text: string; taskRefs: TaskRef[] } {
  const [subject, description] = [data.subject ?? data.title, data.description ?? data.body].map((part) =>
    typeof part === "string" && part.trim() !== "" ? part.trim() : null,
  );
  const id = data.taskId ?? data.task_id ?? data.id;
  const by = typeof data.assignedBy === "string" ? ` by ${data.assignedBy}` : "";
  const taskRefs = typeof id === "string" || typeof id === "number" ? taskRef(String(id), null, subject ?? null) : [];
  const named = taskRefs[0] ? `Task ${taskRefs[0].id}` : "A task";
  const text = [
    `${named} was assigned to you${by}${subject ? `: ${subject}` : "."}`,
    ...(description ? [description] : []),
  ];
  return { text: text.join("\n\n"), taskRefs };
}

/** The row of a message says something else than what was admitted: nothing of it is sent any more. */
export async function failChanged(id: string, { lane }: LaneMember, context: FolderContext): Promise<string> {
  const { store, failDelivery } = context;
  const known = await store.message(laneAddress(lane), id);
  const record = known?.inboxFile ? await store.deliveryOf(lane, id) : null;
  if (!record) return "id_taken";
  await failDelivery(record, payloadMismatch);
  return payloadMismatch;
}

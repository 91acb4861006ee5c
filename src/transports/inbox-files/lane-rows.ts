/**
 * Rows for a member that Waybill runs. Each unread one is admitted as a message, and flagged as read once that is
 * answered. System rows never become prompts: they are shown, and a person answers those that want an answer. Read rows
 * are moved out of the file, because large files are slow for every program that reads them.
 */

import { join } from "node:path";
import { payloadMismatch } from "../../core/delivery/reasons.ts";
import type { ParsedRow, SystemRow } from "../../core/inbox/row.ts";
import { taskRef } from "../../core/inbox/row.ts";
import { fileSender } from "../../core/inbox/team-config.ts";
import type { Mail, TaskRef } from "../../core/message/message.ts";
import { laneAddress } from "../../core/message/message.ts";
import type { Member } from "../../core/team/team.ts";
import type { NewMessage } from "../../mail/message-schema.ts";
import type { TeamFileStore } from "../../mail/team-files.ts";
import { AppError } from "../../platform/app-error.ts";
import { archiveRead } from "./file/archive.ts";
import type { InboxFile } from "./file/inbox-file.ts";
import type { FolderContext } from "./folder-context.ts";
import { answeredMessage, nativeSender, replyTo } from "./row-sender.ts";

export type LaneMember = { name: string; lane: string };

/** Null for a member that Waybill does not run. */
export function laneMember({ name, lane }: Member): LaneMember | null {
  return lane === null ? null : { name, lane };
}

/**
 * `waits`: the message is on its way, and the row stays unread. `done`: the message was answered or needs no answer, so
 * the row must be flagged as read. `conflict`: another body was admitted under its id.
 */
export type TakenRow = { outcome: "waits" | "done" | "conflict" } | { outcome: "refused"; reason: string };

export async function takeLaneRow(row: ParsedRow, member: LaneMember, context: FolderContext): Promise<TakenRow> {
  const { store, admission, team, since, failPoint } = context;
  const known = await store.message(laneAddress(member.lane), row.id);
  if (known) return isSame(known, row) ? afterAdmission(known, member, context) : { outcome: "conflict" };
  const inboxFile = { team: team.name, member: member.name, rowHash: row.hash };
  try {
    await admission.admit(await messageIn(row, member, context), {
      claimedMember: nativeSender(row, context),
      row: { inboxFile, sentAt: row.sentAt, mayHaveBeenSent: row.sentAt < since },
    });
    failPoint?.("inbox.admitted");
    return { outcome: "waits" };
  } catch (error) {
    // A temporary failure, such as a full disk, is not the row's fault.
    if (error instanceof AppError && !error.retryable) return { outcome: "refused", reason: error.code };
    throw error;
  }
}

function isSame({ inboxFile }: Mail, { hash }: ParsedRow): boolean {
  return inboxFile?.rowHash === hash;
}

/**
 * An answered message has its read, so the row only lost its flag. The records of answered messages are not kept
 * forever.
 */
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

/** The prompt for an assigned task. */
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

/** The row no longer matches its admitted message, so nothing more of it is sent. */
export async function failChanged(id: string, { lane }: LaneMember, context: FolderContext): Promise<string> {
  const { store, failDelivery } = context;
  const known = await store.message(laneAddress(lane), id);
  const record = known?.inboxFile ? await store.deliveryOf(lane, id) : null;
  if (!record) return "id_taken";
  await failDelivery(record, payloadMismatch);
  return payloadMismatch;
}

/** A row that cannot be moved now is moved after the file's next change. */
export async function archiveRows(
  inbox: InboxFile,
  { name, lane }: LaneMember,
  directory: string,
  { store, team, failPoint }: FolderContext,
): Promise<void> {
  const archive = join(directory, `${team.name}-${name}.jsonl`);
  await archiveRead(inbox, archive, { failPoint, stay: (keys) => owedReads(keys, lane, store) });
}

/** Rows whose read is not in the ledger yet. They must stay, because recovery after a crash looks for them. */
async function owedReads(
  keys: readonly string[],
  lane: string,
  store: Pick<TeamFileStore, "deliveryOf">,
): Promise<Set<string>> {
  const owed = new Set<string>();
  for (const key of keys) {
    const record = await store.deliveryOf(lane, key);
    if (record && record.readCommittedAt === null) owed.add(key);
  }
  return owed;
}

/**
 * Rows for somebody who is no agent of Waybill's: the person, or whoever sent a message that a row answers. They are shown,
 * and never flagged as read: the file is not Waybill's.
 */
import { AppError } from "../../app-error.ts";
import type { ParsedRow } from "../../core/inbox/row.ts";
import { fileSender } from "../../core/inbox/row.ts";
import { personAddress, writtenAddress } from "../../core/message/address.ts";
import { replyAddress } from "../../core/message/message.ts";
import type { FolderContext } from "./folder-context.ts";
import { answeredMessage } from "./row-sender.ts";

/** Why a row could not be taken, or null. */
export async function takePersonRow(row: ParsedRow, person: string, context: FolderContext): Promise<string | null> {
  const { store, admission } = context;
  // A copy of what was written here, and Waybill's own words.
  if (row.from === fileSender || (await store.message(personAddress(person), row.id))) return null;
  const answered = await answeredMessage(row, context);
  const to = answered ? replyAddress(answered.message) : personAddress(person);
  try {
    await admission.admit({
      id: row.id,
      to: writtenAddress(to),
      from: row.from.slice(0, 128),
      text: answered?.text ?? row.text,
      summary: row.summary ?? undefined,
      taskRefs: [...row.taskRefs],
      attachments: [...row.attachments],
      relayOfMessageId: answered?.message.id,
      source: "watcher",
    });
    return null;
  } catch (error) {
    // What passes, as a full disk does, is no fault of the row.
    if (error instanceof AppError && !error.retryable) return error.code;
    throw error;
  }
}

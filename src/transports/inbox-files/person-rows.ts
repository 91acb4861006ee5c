/**
 * Rows for a person, or for the sender of a message that a row answers. They are shown, but never flagged as read,
 * because the file is not Waybill's.
 */

import type { ParsedRow } from "../../core/inbox/row.ts";
import { fileSender } from "../../core/inbox/row.ts";
import { personAddress, writtenAddress } from "../../core/message/address.ts";
import { replyAddress } from "../../core/message/message.ts";
import type { NewMessage } from "../../mail/message-schema.ts";
import { AppError } from "../../platform/app-error.ts";
import type { FolderContext } from "./folder-context.ts";
import { answeredMessage, nativeSender } from "./row-sender.ts";

/** Why a row could not be taken, or null. */
export async function takePersonRow(row: ParsedRow, person: string, context: FolderContext): Promise<string | null> {
  const { store, admission } = context;
  // Skip Waybill's own rows, and copies of messages that are already in the mailbox.
  if (row.from === fileSender || (await store.message(personAddress(person), row.id))) return null;
  const answered = await answeredMessage(row, context);
  const to = answered ? replyAddress(answered.message) : personAddress(person);
  try {
    const message: NewMessage = {
      id: row.id,
      to: writtenAddress(to),
      from: row.from.slice(0, 128),
      text: answered?.text ?? row.text,
      summary: row.summary ?? undefined,
      taskRefs: [...row.taskRefs],
      attachments: [...row.attachments],
      relayOfMessageId: answered?.message.id,
      source: "watcher",
    };
    await admission.admit(message, { claimedMember: nativeSender(row, context) });
    return null;
  } catch (error) {
    // A temporary failure, such as a full disk, is not the row's fault.
    if (error instanceof AppError && !error.retryable) return error.code;
    throw error;
  }
}

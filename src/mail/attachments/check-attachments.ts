/** Checks that a message may name its attachments: their bytes are stored, and its lane's runtime accepts them. */

import type { AcceptedFiles } from "../../core/message/file-type.ts";
import { acceptedTypes, isProvable, refusalOf } from "../../core/message/file-type.ts";
import type { Attachment } from "../../core/message/message.ts";
import { AppError } from "../../platform/app-error.ts";
import type { AttachmentFiles } from "./attachment-files.ts";
import { attachmentUnknown } from "./attachment-files.ts";

export async function checkStored(attachments: readonly Attachment[], files: AttachmentFiles): Promise<void> {
  for (const claimed of attachments) {
    const stored = await files.hold(claimed.id);
    if (!stored) throw attachmentUnknown(claimed.id);
    const difference = differenceOf(claimed, stored);
    if (difference !== null) throw mismatch(claimed, difference);
  }
}

/** Null if the file matches the message's description of it. */
export function differenceOf(claimed: Attachment, stored: Pick<Attachment, "size" | "mimeType">): string | null {
  if (stored.size !== claimed.size) return `it has ${stored.size} bytes`;
  // A model refuses a file that claims to be an image and is not, and keeps refusing it in every later turn.
  const isSame = stored.mimeType === claimed.mimeType;
  const isProven = isProvable(stored.mimeType) || isProvable(claimed.mimeType);
  return isSame || !isProven ? null : `its content is of type ${stored.mimeType}`;
}

function mismatch({ name }: Attachment, what: string): AppError {
  return new AppError({
    code: "attachment_mismatch",
    message: `The attachment "${name}" does not match the message: ${what}.`,
    hint: "Send the attachment as POST /v1/attachments returned it.",
  });
}

/** `accepted` is null while the runtime is unknown; then the courier checks later. */
export function checkAccepted(
  attachments: readonly Attachment[],
  runtime: string,
  accepted: readonly AcceptedFiles[] | null,
): void {
  const refusal = accepted && refusalOf(attachments, accepted);
  if (!refusal) return;
  throw new AppError({
    code: "attachments_not_supported",
    message: `The runtime "${runtime}" ${refusal}.`,
    hint: accepted.length === 0 ? "Send the message without them." : `It takes ${acceptedTypes(accepted)}.`,
  });
}

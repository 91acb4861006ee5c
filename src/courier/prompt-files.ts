/** The files that a message's prompt includes: those it names, if they exist and its runtime accepts them. */
import type { AttemptKind } from "../core/delivery/attempt.ts";
import { isFollowUp } from "../core/delivery/attempt.ts";
import { refusalOf } from "../core/message/file-type.ts";
import type { Message } from "../core/message/message.ts";
import type { AttachmentFiles } from "../mail/attachments/attachment-files.ts";
import { differenceOf } from "../mail/attachments/check-attachments.ts";
import type { AttachedFile, Runtime } from "../runtimes/port.ts";

export type PromptFiles =
  | { outcome: "ready"; files: readonly AttachedFile[] }
  | { outcome: "impossible"; reason: string };

export const noFiles: PromptFiles = { outcome: "ready", files: [] };

/** Every prompt that repeats the message repeats its files; a follow-up has none. */
export async function promptFiles(
  { attachments }: Pick<Message, "attachments">,
  kind: AttemptKind,
  { traits }: Pick<Runtime, "traits">,
  stored: Pick<AttachmentFiles, "find">,
): Promise<PromptFiles> {
  if (isFollowUp(kind)) return noFiles;
  const refusal = refusalOf(attachments, traits.attachments);
  if (refusal !== null) return impossible("attachments_not_supported", refusal);
  const files: AttachedFile[] = [];
  for (const attachment of attachments) {
    const found = await stored.find(attachment.id);
    if (!found) return impossible("attachment_unknown", attachment.name);
    const difference = differenceOf(attachment, found);
    if (difference !== null) return impossible("attachment_mismatch", `${attachment.name}: ${difference}`);
    files.push({ ...attachment, path: found.path });
  }
  return { outcome: "ready", files };
}

function impossible(code: string, detail: string): PromptFiles {
  return { outcome: "impossible", reason: `${code}: ${detail}` };
}

/** Which attachments a runtime takes, and why it does not take one. */
import { isTextType } from "./file-type.ts";
import type { Attachment } from "./message.ts";

/** `type` is a media type, or `text/*` for everything that a model can read as it is. */
export type AcceptedFiles = { type: string; maxBytes: number };

/** Null when the runtime takes all of them, else why it does not, in words that follow the runtime's name. */
export function refusalOf(attachments: readonly Attachment[], accepted: readonly AcceptedFiles[]): string | null {
  for (const { name, mimeType, size } of attachments) {
    if (accepted.length === 0) return "takes no attachments";
    const rule = accepted.find(({ type }) => (type === "text/*" ? isTextType(mimeType) : type === mimeType));
    if (!rule) return `takes no files of type ${mimeType} ("${name}")`;
    if (size > rule.maxBytes)
      return `takes files of type ${mimeType} up to ${rule.maxBytes} bytes ("${name}" has ${size})`;
  }
  return null;
}

/** What a runtime takes, for people. */
export function acceptedTypes(accepted: readonly AcceptedFiles[]): string {
  return accepted.map(({ type }) => type).join(", ");
}

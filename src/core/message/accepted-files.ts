/** Which attachments a runtime accepts, and why it refuses one. */
import { isTextType } from "./file-type.ts";
import type { Attachment } from "./message.ts";

/** `type` is a media type, or `text/*` for everything that a model can read as is. */
export type AcceptedFiles = { type: string; maxBytes: number };

/** Null if the runtime accepts all of them, else the reason, worded to follow the runtime's name. */
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

/** The types a runtime accepts, for people to read. */
export function acceptedTypes(accepted: readonly AcceptedFiles[]): string {
  return accepted.map(({ type }) => type).join(", ");
}

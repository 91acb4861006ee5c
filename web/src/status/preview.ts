/** The beginning of a message in one line. Pure. */
import type { Message } from "waybill/client";
import { proseText } from "../ui/safe-text.ts";

const maxCharacters = 200;

export function previewOf({ text, summary, attachments }: Pick<Message, "text" | "summary" | "attachments">): string {
  // Only the visible part is cleaned: a message may be a megabyte.
  const line = proseText((summary ?? text).slice(0, maxCharacters * 4))
    .replaceAll(/\s+/g, " ")
    .trim();
  if (line === "") return attachments.map(({ name }) => name).join(", ");
  return line.length > maxCharacters ? `${line.slice(0, maxCharacters - 1)}…` : line;
}

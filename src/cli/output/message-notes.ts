/**
 * What stands beside a message for people: what it is taken for, its attachments, and which of the files that it names are
 * missing. Pure.
 */
import type { DeliveryDetail, Message } from "../../client/index.ts";
import { inParentheses, oneLine } from "./format.ts";

const notes: Record<NonNullable<Message["outcome"]>, string | null> = {
  answer: null,
  done: null,
  question: "the agent asks; the next word is the sender's",
  blocked: "something stands in the agent's way; the next word is the sender's",
  progress: "progress; more is to come",
  acknowledgement: "only an acknowledgement; the agent is asked to go on",
  provider_error: "reads like an error of the model's provider; the agent is asked again",
};

/** Behind a text, or an empty string. */
export function outcomeNote({ outcome }: Pick<Message, "outcome">): string {
  return inParentheses(outcome === null ? null : notes[outcome]);
}

/** A line under a text for each file that goes with it. */
export function attachmentLines({ attachments }: Pick<Message, "attachments">): string[] {
  return attachments.map(({ name, mimeType, size }) => `[${oneLine(name)}, ${oneLine(mimeType)}, ${size} bytes]`);
}

/** A line under the answer, or none. */
export function missingFilesLines({ missingFiles }: Pick<DeliveryDetail, "missingFiles">): string[] {
  return missingFiles.length === 0 ? [] : [`Named here and not found on disk: ${missingFiles.map(oneLine).join(", ")}`];
}

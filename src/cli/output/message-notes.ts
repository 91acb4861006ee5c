/**
 * Notes next to a message: what Waybill takes it for, its attachments, and which of the files that it names are missing.
 * Pure.
 */
import type { DeliveryDetail, Message } from "../../client/index.ts";
import { inParentheses, oneLine } from "./format.ts";

const notes: Record<NonNullable<Message["outcome"]>, string | null> = {
  answer: null,
  done: null,
  question: "a question; the agent is waiting for the sender",
  blocked: "the agent is blocked and is waiting for the sender",
  progress: "progress; more will follow",
  acknowledgement: "only an acknowledgement; the agent is asked to continue",
  provider_error: "looks like an error from the model provider; the agent is asked again",
};

/** Appended to a text; may be empty. */
export function outcomeNote({ outcome }: Pick<Message, "outcome">): string {
  return inParentheses(outcome === null ? null : notes[outcome]);
}

/** Whether it came on the way to the answer, and is not the answer itself. */
export function isInterim({ outcome }: Pick<Message, "outcome">): boolean {
  return outcome === "acknowledgement" || outcome === "progress" || outcome === "provider_error";
}

/** A line below a text for each attached file. */
export function attachmentLines({ attachments }: Pick<Message, "attachments">): string[] {
  return attachments.map(({ name, mimeType, size }) => `[${oneLine(name)}, ${oneLine(mimeType)}, ${size} bytes]`);
}

/** A line below the answer, or none. */
export function missingFilesLines({ missingFiles }: Pick<DeliveryDetail, "missingFiles">): string[] {
  return missingFiles.length === 0 ? [] : [`Named here but not found on disk: ${missingFiles.map(oneLine).join(", ")}`];
}

/** What kind of reply it is, if it is not simply the answer. Pure. */
import type { Message } from "waybill/client";

const remarks: Record<NonNullable<Message["outcome"]>, string | null> = {
  answer: null,
  done: "done",
  question: "has a question",
  blocked: "is blocked",
  progress: "progress, not an answer yet",
  acknowledgement: "only an acknowledgement, not an answer",
  provider_error: "an error from the model provider, not an answer",
};

export function replyRemark(from: string, outcome: Message["outcome"]): string | null {
  if (from === "waybill") return "written by Waybill, not by the agent";
  return outcome === null ? null : remarks[outcome];
}

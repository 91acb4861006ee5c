/**
 * The words that Waybill puts around a message when it hands it to an agent. The sender's text stays as it was
 * written. On a `text` lane a first prompt is that text alone, as in a chat.
 */

import type { ReplyContract } from "../lane/lane.ts";
import type { Message } from "../message/message.ts";
import type { Attempt, FollowUpKind } from "./attempt.ts";
import { isFollowUp } from "./attempt.ts";
import type { DeliveryRecord } from "./record.ts";

const markerHead = "[waybill message ";

/** The first words of a prompt that carries the message's id; also the anchor where a runtime takes no ids. */
export function promptMarker(messageId: string): string {
  return `${markerHead}${messageId} from `;
}

export function hasMarker(text: string): boolean {
  return text.includes(markerHead);
}

export function promptText(input: {
  message: Message;
  contract: ReplyContract;
  attempt: Pick<Attempt, "kind" | "number" | "because">;
  /** For a follow-up: the files that the answer named and nobody found. */
  missingFiles?: readonly string[];
  takesIds: boolean;
  /** What the lane was about before its session was replaced. */
  digest: string | null;
}): string {
  const { message, contract, attempt, digest } = input;
  const parts: string[] = [];
  if (contract === "tool" || !input.takesIds) parts.push(`${promptMarker(message.id)}${message.from}]`);
  if (isFollowUp(attempt.kind)) return [...parts, followUpText(attempt.kind, input.missingFiles ?? [])].join("\n\n");
  if (digest !== null) parts.push(digest);
  if (attempt.kind === "retry") parts.push(retryText(attempt, contract));
  parts.push(message.text);
  if (contract === "tool") parts.push(replyInstructions(message));
  return parts.join("\n\n");
}

const missingFile = "claimed_file_missing:";

export function missingFileDiagnostic(name: string): string {
  return missingFile + name;
}

export function missingFilesOf({ diagnostics }: Pick<DeliveryRecord, "diagnostics">): string[] {
  return diagnostics.filter((one) => one.startsWith(missingFile)).map((one) => one.slice(missingFile.length));
}

function followUpText(kind: FollowUpKind, missing: readonly string[]): string {
  if (kind === "summary") {
    return "You changed files for the last message and said nothing about it; whoever sent it sees only your words. Say in a few sentences what you changed and what came of it. Use no tools and change nothing more.";
  }
  return `Your answer names files that are not there: ${missing.join(", ")}. If they should be there, write them now. Then say in a sentence or two where they are, or why they are not.`;
}

function replyInstructions(message: Message): string {
  const tasks = message.taskRefs.map((ref) => ref.id).join(", ");
  const about = tasks === "" ? "" : `This concerns: ${tasks}. `;
  if (message.actionMode === "notify") return `${about}This is for your information. No reply is needed.`;
  return (
    `${about}Reply with the message_send tool: to "${message.replyRecipient}", relayOfMessageId "${message.id}". ` +
    "Say what you found or did; an acknowledgement alone does not count as a reply."
  );
}

function retryText(attempt: Pick<Attempt, "number" | "because">, contract: ReplyContract): string {
  const how = contract === "tool" ? "with message_send" : "in plain text";
  const which = `(prompt ${attempt.number} for it)`;
  switch (attempt.because) {
    case "visible_reply_still_required":
      return `You worked on the message below, but whoever sent it has seen no answer ${which}. Give the answer ${how}. There is no need to repeat the work.`;
    case "visible_reply_ack_only_still_requires_answer":
      return `You acknowledged the message below, and nothing followed ${which}. Give a result, a question or what stands in the way, ${how}.`;
    default:
      return `The message below reached you before, and nothing shows that you acted on it ${which}. If you did, do not do it twice: report the result ${how}. Otherwise please take it up now.`;
  }
}

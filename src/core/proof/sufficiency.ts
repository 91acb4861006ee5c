/**
 * Decides whether what was observed answers the message, by what its sender wanted. This alone allows a read commit.
 *
 * A correlated reply proves that it belongs to the message, not that it says anything: on `tool` lanes a bare
 * acknowledgement is not enough. On `text` lanes the person sees the words at once, so it only leaves a diagnostic.
 */

import type { DeliveryRecord, Proof } from "../delivery/record.ts";
import type { ReplyContract } from "../lane/lane.ts";
import { isConcrete, judgeSubstance } from "./acknowledgement.ts";
import type { Evidence, SentMessage } from "./observation.ts";
import { isReply } from "./observation.ts";

export type Intent = "task" | "do" | "delegate" | "ask" | "notify";

export type Verdict =
  | { sufficient: true; by: Proof["by"]; diagnostics: readonly string[] }
  | { sufficient: false; reason: string; diagnostics: readonly string[] };

/** A message that needs no answer stays one, whatever it refers to; task refs weigh more than the action mode. */
export function intentOf(record: Pick<DeliveryRecord, "actionMode" | "taskRefs">): Intent {
  if (record.actionMode === "notify") return "notify";
  if (record.taskRefs.length > 0) return "task";
  return record.actionMode ?? "ask";
}

/** Judges a reply that has arrived at its destination. */
export function judgeReply(reply: { text: string; summary: string | null }, contract: ReplyContract): Verdict {
  return judgeWords(reply, contract, "destination_reply");
}

/** Judges the evidence of a turn that has ended. */
export function judgeEvidence(intent: Intent, contract: ReplyContract, evidence: Evidence): Verdict {
  const replies = evidence.sent.filter(isReply).map((sent) => judgeWords(sent, contract, "visible_reply"));
  const text = evidence.finalText;
  // After a reply that said nothing, "I have let them know" is no answer either.
  const narrates = replies.length > 0 && text !== null && !isConcrete(text);
  const said = [...replies, ...(text === null || narrates ? [] : [judgePlainText(text, contract)])];
  const answer = said.find((verdict) => verdict.sufficient);
  if (answer) return answer;

  const diagnostics = said.flatMap((verdict) => verdict.diagnostics);
  if (worked(intent, evidence)) return { sufficient: true, by: "tool", diagnostics };
  return { sufficient: false, reason: whatIsMissing(said, evidence), diagnostics };
}

function worked(intent: Intent, evidence: Evidence): boolean {
  switch (intent) {
    case "task":
    case "do":
      return evidence.taskChanges.length + evidence.executions.length > 0;
    case "delegate":
      return evidence.taskChanges.length > 0 || evidence.sent.some(isDelegation);
    case "ask":
    case "notify":
      return false;
    default:
      return intent satisfies never;
  }
}

/** Words of substance to somebody else, in a message of its own. */
function isDelegation(sent: SentMessage): boolean {
  const substance = judgeSubstance(sent.text);
  const says = substance === "substance" || substance === "uncertain";
  return sent.relay === "none" && !sent.toReplyRecipient && says;
}

function whatIsMissing(said: readonly Verdict[], evidence: Evidence): string {
  const words = said.find((verdict) => !verdict.sufficient && verdict.reason !== "no_response");
  if (words && !words.sufficient) return words.reason;
  const tools = [evidence.taskChanges, evidence.executions, evidence.others, evidence.sent, evidence.lookups].flat();
  return tools.length > 0 ? "visible_reply_still_required" : "no_response";
}

function judgePlainText(text: string, contract: ReplyContract): Verdict {
  const verdict = judgeWords({ text, summary: null }, contract, "plain_text");
  if (!verdict.sufficient || contract === "text") return verdict;
  return { ...verdict, diagnostics: [...verdict.diagnostics, "answered_in_plain_text"] };
}

/** Text and summary are judged apart: two empty phrases side by side do not make an answer. */
function judgeWords(
  words: { text: string; summary: string | null },
  contract: ReplyContract,
  by: Proof["by"],
): Verdict {
  const substance = judgeSubstance(words.text);
  switch (substance) {
    case "substance":
      return { sufficient: true, by, diagnostics: [] };
    case "uncertain":
      return { sufficient: true, by, diagnostics: ["visible_reply_semantic_uncertain"] };
    case "acknowledgement":
      if (contract === "text") return { sufficient: true, by, diagnostics: ["answer_is_only_an_acknowledgement"] };
      if (isConcrete(words.summary ?? "")) return { sufficient: true, by, diagnostics: ["answer_is_in_the_summary"] };
      return { sufficient: false, reason: "visible_reply_ack_only_still_requires_answer", diagnostics: [] };
    case "empty":
      return { sufficient: false, reason: "no_response", diagnostics: [] };
    default:
      return substance satisfies never;
  }
}

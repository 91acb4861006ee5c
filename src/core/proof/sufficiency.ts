/**
 * Decides whether an observation answers the message, by what its sender wanted. Only this allows a read commit.
 *
 * Structure comes before words: the declared outcome of the reply, its destination, the results of tools. Words are
 * the last check: a bare acknowledgement is not an answer, whatever it is correlated with.
 */

import { reasons } from "../delivery/reasons.ts";
import type { DeliveryRecord, Proof } from "../delivery/record.ts";
import type { ReplyContract } from "../lane/lane.ts";
import type { ReplyOutcome } from "../message/message.ts";
import { asksForJust, judgeSubstance, namesSomething, summaryAnswers } from "./acknowledgement.ts";
import type { Evidence } from "./observation.ts";
import type { SentMessage } from "./sends.ts";
import { isReply, restates } from "./sends.ts";

export type Intent = "task" | "do" | "delegate" | "ask" | "notify";

export type Verdict =
  | { sufficient: true; by: Proof["by"]; outcome?: ReplyOutcome | null; diagnostics: readonly string[] }
  | { sufficient: false; reason: string; diagnostics: readonly string[] };

/** The agent's last word after it was asked to continue, or if it can no longer be asked. */
export const acknowledgedOnly = "answer_is_only_an_acknowledgement";
export const readsLikeError = "answer_is_only_a_provider_error";

/** A message that needs no answer stays one, whatever it refers to; task refs take precedence over the action mode. */
export function intentOf(record: Pick<DeliveryRecord, "actionMode" | "taskRefs">): Intent {
  if (record.actionMode === "notify") return "notify";
  if (record.taskRefs.length > 0) return "task";
  return record.actionMode ?? "ask";
}

export type Reply = {
  text: string;
  summary: string | null;
  outcome?: ReplyOutcome | null;
  /** The text of the message that it replies to, if it was looked up. */
  request?: string | null;
};

/** Judges a reply that has arrived at its destination. */
export function judgeReply(reply: Reply, intent: Intent): Verdict {
  return judgeSaid(reply, intent, "destination_reply");
}

/**
 * Judges the evidence of a turn that has ended. On a text lane an acknowledgement is shown and the agent is asked
 * once to continue; `lastWord` means that this was done, or cannot be, and then any text closes a message that needs
 * no work.
 */
export function judgeEvidence(
  intent: Intent,
  contract: ReplyContract,
  evidence: Evidence,
  { lastWord = false }: { lastWord?: boolean } = {},
): Verdict {
  const replies = evidence.sent.filter(isReply);
  const said = replies.map((sent) => judgeSaid(sent, intent, "visible_reply"));
  const plain = judgeClosingText(intent, contract, evidence);
  const all = plain === null ? said : [...said, plain];
  const answer = all.find((verdict) => verdict.sufficient);
  if (answer) return answer;
  const diagnostics = all.flatMap((verdict) => verdict.diagnostics);
  // Work does not replace a reply that is still owed: one still to come, or one that has to be sent again.
  const isOwed = replies.at(-1)?.outcome === "progress" || (replies.length === 0 && evidence.failedSends.length > 0);
  if (worked(intent, evidence) && (!isOwed || lastWord)) return { sufficient: true, by: "tool", diagnostics };
  if (lastWord && intent === "ask") {
    const closed = closedByLastWord(contract, evidence);
    if (closed) return closed;
  }
  return { sufficient: false, reason: whatIsMissing(all, evidence), diagnostics };
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

/** Text with substance to somebody else, in a separate message. */
function isDelegation(sent: SentMessage): boolean {
  const substance = judgeSubstance(sent.text);
  const says = substance === "substance" || substance === "uncertain";
  return sent.relay === "none" && !sent.toReplyRecipient && says;
}

/** Null if there is none, or if it only mentions a reply. */
function judgeClosingText(intent: Intent, contract: ReplyContract, evidence: Evidence): Verdict | null {
  const { finalText: text, failedSends } = evidence;
  if (text === null) return null;
  const replies = evidence.sent.filter(isReply);
  // A reply that did not arrive has to be sent again, and "I have replied" does not make it arrive.
  if (replies.length === 0 && failedSends.length > 0 && !restates(text, failedSends)) return null;
  // After a reply that said nothing, "I have let them know" is not an answer either.
  if (replies.length > 0 && !namesSomething(text)) return null;
  const verdict = judgeSaid({ text, summary: null, request: evidence.request }, intent, "plain_text");
  if (!verdict.sufficient || contract === "text") return verdict;
  return { ...verdict, diagnostics: [...verdict.diagnostics, "answered_in_plain_text"] };
}

function closedByLastWord(contract: ReplyContract, evidence: Evidence): Verdict | null {
  const by = "plain_text" as const;
  if (evidence.finalText !== null && contract === "text" && evidence.failedSends.length === 0) {
    return { sufficient: true, by, diagnostics: [acknowledgedOnly] };
  }
  return evidence.noticeText === null ? null : { sufficient: true, by, diagnostics: [readsLikeError] };
}

function whatIsMissing(said: readonly Verdict[], evidence: Evidence): string {
  if (evidence.noticeText !== null) return reasons.notice;
  const [failed] = evidence.failedSends.slice(-1);
  if (failed && !evidence.sent.some(isReply)) return `${reasons.failedSend}: ${failed.detail}`;
  const words = said.find((verdict) => !verdict.sufficient && verdict.reason !== "no_response");
  if (words && !words.sufficient) return words.reason;
  const tools = [evidence.taskChanges, evidence.executions, evidence.others, evidence.sent, evidence.lookups].flat();
  if (evidence.failedWork.length > 0) return reasons.failedWork;
  return tools.length > 0 ? "visible_reply_still_required" : "no_response";
}

/** By its declared outcome; without one, and for `answer`, by its words. */
function judgeSaid(words: Reply, intent: Intent, by: Proof["by"]): Verdict {
  const { outcome = null } = words;
  const closes = { sufficient: true, by, ...(outcome === null ? {} : { outcome }), diagnostics: [] } as const;
  if (judgeSubstance(words.text) === "empty") return { sufficient: false, reason: "no_response", diagnostics: [] };
  if (intent === "notify") return closes;
  switch (outcome) {
    case "progress":
      return { sufficient: false, reason: reasons.progress, diagnostics: [] };
    case "question":
    case "blocked":
      return closes;
    case "done":
      return intent === "ask" ? judgeWords(words, intent, closes) : closes;
    case "answer":
    case null:
      return judgeWords(words, intent, closes);
    default:
      return outcome satisfies never;
  }
}

/** Text and summary are judged separately: two empty phrases together do not make an answer. */
function judgeWords(words: Reply, intent: Intent, closes: Extract<Verdict, { sufficient: true }>): Verdict {
  const substance = judgeSubstance(words.text, words.request ?? null);
  switch (substance) {
    case "substance":
      return closes;
    case "uncertain":
      return { ...closes, diagnostics: ["visible_reply_semantic_uncertain"] };
    case "acknowledgement":
      if (isAskedFor(words, intent)) return { ...closes, diagnostics: ["answer_was_asked_for"] };
      if (summaryAnswers(words.summary ?? "")) return { ...closes, diagnostics: ["answer_is_in_the_summary"] };
      return { sufficient: false, reason: reasons.acknowledgement, diagnostics: [] };
    case "empty":
      return { sufficient: false, reason: "no_response", diagnostics: [] };
    default:
      return substance satisfies never;
  }
}

/** Whether the message's own text contains the reply, so that it asked for exactly that. */
export function isAskedFor({ text, request }: Pick<Reply, "text" | "request">, intent: Intent): boolean {
  return asksForJust(request ?? "", text, intent !== "ask" && intent !== "notify");
}

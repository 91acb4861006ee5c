/** The known evidence of a delivery, and whether it is sufficient. Claims nothing that the record does not. Pure. */
import type { DeliveryDetail } from "waybill/client";
import { correlationWords, outcomeWords, proofWords } from "./proof-words.ts";

export type Verdict = { suffices: boolean; name: string; meaning: string };

/** `yes`: it was seen. `no`: it was searched for and is missing. `open`: it may still come. */
export type EvidenceItem = { key: string; state: "yes" | "no" | "open"; words: string; ids: readonly string[] };

type Input = Pick<DeliveryDetail, "status" | "evidence" | "why" | "attemptList" | "readCommittedAt" | "missingFiles">;

export function verdictOf({ status, evidence, why, attemptList }: Input): Verdict {
  if (evidence.proof !== null) return { suffices: true, ...proofWords[evidence.proof] };
  const not = (name: string, meaning: string): Verdict => ({ suffices: false, name, meaning });
  if (status === "cancelled") return not("Ended without proof", "It ended before there was any.");
  if (attemptList.length === 0) return not("No proof yet", "Nothing was sent yet.");
  const isJudged = status === "unanswered" || status === "retry_scheduled" || status === "failed_terminal";
  if (isJudged && why !== null) return not("Not enough", why);
  return not("No proof yet", "What was seen so far is not enough.");
}

export function evidenceItems(detail: Input): EvidenceItem[] {
  const { evidence, attemptList } = detail;
  if (attemptList.length === 0) return [];
  return [...promptItems(detail), ...agentItems(detail), ...replyItems(evidence), ...endItems(detail)];
}

function promptItems({ evidence: { deliveredUserMessageId: row } }: Input): EvidenceItem[] {
  const words =
    row === null ? "The prompt was not found in the agent's transcript" : "The prompt is in the agent's transcript";
  return [item("prompt", row === null ? "open" : "yes", words, [row])];
}

function agentItems({ evidence: { assistantMessageId: row, toolNames } }: Input): EvidenceItem[] {
  if (row === null && toolNames.length === 0) {
    return [item("agent", "open", "The agent has written nothing for this prompt")];
  }
  const agent = item("agent", "yes", "The agent's newest entry for this prompt", [row]);
  if (toolNames.length === 0) return [agent];
  return [agent, item("tools", "yes", `Tools called: ${toolNames.join(", ")}`)];
}

function replyItems({ visibleReply, outcome }: Input["evidence"]): EvidenceItem[] {
  const said =
    outcome === null ? [] : [item("outcome", "yes", `The agent declared its reply as ${outcomeWords[outcome]}`)];
  if (!visibleReply) return said;
  const { correlation, mailbox, messageId } = visibleReply;
  const place = mailbox === null ? "" : ` It is in the mailbox of ${mailbox}.`;
  return [item("reply", "yes", `${correlationWords[correlation]}${place}`, [messageId]), ...said];
}

function endItems({ evidence, attemptList, readCommittedAt, missingFiles, status }: Input): EvidenceItem[] {
  const { turnEndedAt, readCommitError } = evidence;
  const hasEnded = turnEndedAt !== null || attemptList.at(-1)?.finishedAt != null;
  const items = [
    hasEnded ? item("turn", "yes", "The turn has ended") : item("turn", "open", "The turn has not ended yet"),
  ];
  if (readCommitError !== null) items.push(item("read", "no", `It could not be marked as read: ${readCommitError}`));
  else if (readCommittedAt !== null) items.push(item("read", "yes", "The message is marked as read"));
  else items.push(item("read", status === "failed_terminal" ? "no" : "open", "The message is still unread"));
  if (missingFiles.length > 0) {
    items.push(item("files", "no", `Named in the answer but not found on disk: ${missingFiles.join(", ")}`));
  }
  return items;
}

function item(
  key: string,
  state: EvidenceItem["state"],
  words: string,
  ids: readonly (string | null)[] = [],
): EvidenceItem {
  return { key, state, words, ids: ids.filter((id) => id !== null) };
}

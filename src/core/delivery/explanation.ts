/** The state of a delivery, the reason and what is going on: answers "why is it late?" in a sentence or two. Pure. */
import { lowerFirst, proofWords } from "./audit-words.ts";
import type { Outlook } from "./outlook.ts";
import { reasonSentence } from "./reason-words.ts";
import type { DeliveryRecord } from "./record.ts";
import { lastAttempt } from "./record.ts";

export function explanation(record: DeliveryRecord, outlook: Outlook): string {
  const { status, lastReason, proof } = record;
  const why = lastReason === null ? null : reasonSentence(lastReason);
  const isOver = outlook.next === "nothing";
  switch (status) {
    case "pending":
      return outlook.next === "sends" ? outlook.words : `It has not been sent yet: ${lowerFirst(outlook.words)}`;
    case "submitting":
    case "accepted":
      return lastReason === "tool_runs_long" ? `${why} ${outlook.words}` : `${askedAgain(record)}${outlook.words}`;
    case "unanswered":
    case "failed_retryable":
    case "retry_scheduled":
    case "failed_terminal":
      return why === null ? outlook.words : `${why} ${outlook.words}`;
    case "responded": {
      const answered = proof === null ? "There is proof that the agent acted on it." : proofWords[proof.by];
      return isOver && proof?.outcome !== "question" && proof?.outcome !== "blocked"
        ? answered
        : `${answered} ${outlook.words}`;
    }
    case "cancelled": {
      const ended = why ?? "It was ended without an answer.";
      return isOver ? ended : `${ended} ${outlook.words}`;
    }
    default:
      return status satisfies never;
  }
}

/** Why it takes longer than one turn. */
function askedAgain(record: DeliveryRecord): string {
  const because = lastAttempt(record)?.because ?? null;
  return because === null ? "" : `The agent was asked again: ${lowerFirst(reasonSentence(because))} `;
}

/**
 * What happens next to a delivery, and when: answers "why is nothing happening?"; and its state, the reason and what is
 * going on in a sentence or two: answers "why is it late?". Pure.
 */
import type { Lane } from "../lane/lane.ts";
import { isPaused, pauseOf } from "../lane/lane.ts";
import { lowerFirst, proofWords } from "./audit-words.ts";
import { mayHaveBeenSent, reasonSentence, tooManyTurns } from "./reasons.ts";
import type { DeliveryRecord } from "./record.ts";
import { lastAttempt } from "./record.ts";

export type NextStep =
  | "nothing"
  | "waits_in_line"
  | "waits_while_paused"
  | "waits_for_runtime"
  | "waits_for_person"
  | "sends"
  | "looks"
  | "asks_again"
  | "asks_further"
  | "looks_for_files"
  | "commits_read"
  | "looks_for_late_proof";

export type Outlook = {
  next: NextStep;
  /** When, if known. A hint from the agent makes it sooner. */
  at: number | null;
  /** One sentence for people. */
  words: string;
};

/** The message that has to end first, and what its agent needs from a person, if anything. */
export type QueuedBehind = { messageId: string; needs: string | null };

export type OutlookInput = {
  record: DeliveryRecord;
  lane: Lane | null;
  queuedBehind: QueuedBehind | null;
  /** Why the lane's head message cannot be sent right now. */
  waitReason: string | null;
};

export function outlook({ record, lane, queuedBehind, waitReason }: OutlookInput): Outlook {
  const at = record.nextReconcileAt;
  switch (record.status) {
    case "pending":
      return waiting({ record, lane, queuedBehind, waitReason });
    case "submitting":
    case "accepted":
      return blocked(record) ?? { next: "looks", at, words: wordsWhileOpen(record) };
    case "unanswered":
      return { next: "looks", at, words: "What the agent did is not enough; Waybill checks again before a retry." };
    case "failed_retryable":
      return { next: "looks", at, words: wordsAfterAFailure(record) };
    case "retry_scheduled":
      if (lane && isPaused(lane)) return paused(lane);
      return { next: "asks_again", at, words: "The agent is asked again, after one more check of its transcript." };
    case "failed_terminal":
      return at === null
        ? { next: "nothing", at, words: "It failed for good and is not retried automatically. A person may retry it." }
        : {
            next: "looks_for_late_proof",
            at,
            words: "It failed for good; Waybill checks again in case proof is late.",
          };
    case "responded":
    case "cancelled":
      if (record.readCommittedAt === null)
        return { next: "commits_read", at, words: "The message is about to be marked as read." };
      if (record.claims !== null) {
        return {
          next: "looks_for_files",
          at,
          words: "It has ended; Waybill checks that the files named in the answer exist.",
        };
      }
      if (record.nextAttempt !== null) return askedFurther(record, lane);
      if (record.turnEndedAt === null) {
        const asks = record.status === "responded" ? blocked(record) : null;
        return asks ?? { next: "looks", at, words: "It has ended; the agent's turn is still running." };
      }
      return { next: "nothing", at: null, words: wordsAtTheEnd(record) };
    default:
      return record.status satisfies never;
  }
}

function waiting({ lane, queuedBehind, waitReason, record }: OutlookInput): Outlook {
  if (!lane) return { next: "nothing", at: null, words: "Its lane has been removed." };
  if (record.heldReason !== null) return held(record);
  if (isPaused(lane)) return paused(lane);
  if (queuedBehind !== null) {
    return { next: "waits_in_line", at: null, words: wordsBehind(`message ${queuedBehind.messageId}`, queuedBehind) };
  }
  if (waitReason === tooManyTurns) {
    const words = "The limit of topics working at the same time is reached. It is sent when one of them ends.";
    return { next: "waits_in_line", at: null, words };
  }
  if (waitReason === "runtime_not_active") {
    return { next: "waits_for_runtime", at: null, words: `The runtime "${lane.runtime}" is not running.` };
  }
  if (waitReason !== null)
    return { next: "sends", at: null, words: `It is sent as soon as it can be (${waitReason}).` };
  const again = record.attemptList.length > 0;
  return {
    next: "sends",
    at: null,
    words: again ? "Its earlier attempts are checked, then it is sent." : "It is sent now.",
  };
}

function askedFurther({ nextAttempt, nextReconcileAt: at }: DeliveryRecord, lane: Lane | null): Outlook {
  if (lane && isPaused(lane)) return paused(lane);
  const about = nextAttempt?.kind === "summary" ? "for a short summary" : "about missing files";
  return { next: "asks_further", at, words: `It has ended; the agent is asked ${about}.` };
}

function held({ heldReason, messageId }: DeliveryRecord): Outlook {
  const words =
    heldReason === mayHaveBeenSent
      ? `It is held (${heldReason}): it is older than Waybill's store, and the agent's sessions cannot be searched for it. \`waybill retry ${messageId}\` sends it; \`waybill cancel\` ends it.`
      : `It is held (${heldReason}): the two agents only write to each other. \`waybill holds release\` lets them continue.`;
  return { next: "waits_for_person", at: null, words };
}

function paused(lane: Lane): Outlook {
  return { next: "waits_while_paused", at: null, words: `Its lane is paused (${pauseOf(lane)}).` };
}

/** `message` names the message ahead in the words of the reader's place. */
export function wordsBehind(message: string, { needs }: QueuedBehind): string {
  const because = needs === null ? "" : `, whose agent is waiting for ${needs}`;
  return `It is waiting for ${message} to end${because}.`;
}

/** What the agent needs from a person before it continues. */
export function neededFromPerson({ responseState }: Pick<DeliveryRecord, "responseState">): string | null {
  if (responseState === "permission_blocked") return "a permission";
  return responseState === "question_blocked" ? "an answer" : null;
}

function blocked(record: DeliveryRecord): Outlook | null {
  const needs = neededFromPerson(record);
  if (needs === null) return null;
  return { next: "waits_for_person", at: record.nextReconcileAt, words: `The agent is waiting for ${needs}.` };
}

function wordsAtTheEnd({ proof }: DeliveryRecord): string {
  if (proof?.outcome === "question") return "It has ended: the agent asks a question, and it is the sender's turn.";
  if (proof?.outcome === "blocked") return "It has ended: the agent is blocked, and it is the sender's turn.";
  return "It has ended.";
}

function wordsAfterAFailure({ acceptanceUnknown, acceptedAt }: DeliveryRecord): string {
  if (acceptanceUnknown) return "It is unknown whether the prompt arrived; Waybill reads the transcript.";
  return acceptedAt === null
    ? "The prompt was not sent; Waybill sends it again."
    : "This attempt failed; Waybill checks again before a retry.";
}

/** A prompt that is being sent is not confirmed yet, which is nothing unusual. */
function wordsWhileOpen(record: DeliveryRecord): string {
  if (record.status === "submitting") return "It is being sent; it is not known yet whether it arrived.";
  return record.responseState === "pending"
    ? "The agent is working; Waybill checks again."
    : "The prompt was accepted, which proves nothing yet; Waybill reads the transcript.";
}

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

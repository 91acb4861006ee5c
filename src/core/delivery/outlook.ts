/** What happens next to a delivery, and when: the answer to "why is nothing happening?". Pure. */
import type { Lane } from "../lane/lane.ts";
import { isPaused, pauseOf } from "../lane/lane.ts";
import { mayHaveBeenSent, tooManyTurns } from "./reasons.ts";
import type { DeliveryRecord } from "./record.ts";

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
  /** When, as far as that is known. A hint from the agent makes it sooner. */
  at: number | null;
  /** For people: one sentence. */
  words: string;
};

export type OutlookInput = {
  record: DeliveryRecord;
  lane: Lane | null;
  /** The message that has to end first. */
  queuedBehind: string | null;
  /** Why the lane's head message cannot be sent at this moment. */
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
    case "failed_retryable":
      return { next: "looks", at, words: "What the agent did does not suffice; it is looked at again before a retry." };
    case "retry_scheduled":
      if (lane && isPaused(lane)) return paused(lane);
      return { next: "asks_again", at, words: "The agent is asked again, after one more look at what it did." };
    case "failed_terminal":
      return at === null
        ? { next: "nothing", at, words: "It failed for good and is not tried again by itself. A person may retry it." }
        : {
            next: "looks_for_late_proof",
            at,
            words: "It failed for good; it is looked at again in case proof is late.",
          };
    case "responded":
    case "cancelled":
      if (record.readCommittedAt === null)
        return { next: "commits_read", at, words: "The read flag is to be written." };
      if (record.claims !== null) {
        return { next: "looks_for_files", at, words: "It is over; the files that the answer names are looked for." };
      }
      if (record.nextAttempt !== null) return askedFurther(record, lane);
      if (record.turnEndedAt === null) {
        const asks = record.status === "responded" ? blocked(record) : null;
        return asks ?? { next: "looks", at, words: "It is over; the agent's turn still runs." };
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
    return { next: "waits_in_line", at: null, words: `It waits for message ${queuedBehind} to end.` };
  }
  if (waitReason === tooManyTurns) {
    const words = "As many topics work as may at the same time. It is sent when one of them has ended.";
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
    words: again ? "Its old attempts are looked at, then it is sent." : "It is sent now.",
  };
}

function askedFurther({ nextAttempt, nextReconcileAt: at }: DeliveryRecord, lane: Lane | null): Outlook {
  if (lane && isPaused(lane)) return paused(lane);
  const about = nextAttempt?.kind === "summary" ? "for a short summary" : "about files that are not there";
  return { next: "asks_further", at, words: `It is over; the agent is asked ${about}.` };
}

function held({ heldReason, messageId }: DeliveryRecord): Outlook {
  const words =
    heldReason === mayHaveBeenSent
      ? `It is held (${heldReason}): it is older than Waybill's store, and the agent's sessions cannot be searched for it. \`waybill retry ${messageId}\` sends it; \`waybill cancel\` ends it.`
      : `It is held (${heldReason}): its agents write to each other and nothing else happens. \`waybill holds\` lets them go on.`;
  return { next: "waits_for_person", at: null, words };
}

function paused(lane: Lane): Outlook {
  return { next: "waits_while_paused", at: null, words: `Its lane is paused (${pauseOf(lane)}).` };
}

function blocked({ responseState, nextReconcileAt }: DeliveryRecord): Outlook | null {
  if (responseState !== "permission_blocked" && responseState !== "question_blocked") return null;
  const what = responseState === "permission_blocked" ? "a permission" : "an answer";
  return { next: "waits_for_person", at: nextReconcileAt, words: `The agent waits for ${what}.` };
}

function wordsAtTheEnd({ proof }: DeliveryRecord): string {
  if (proof?.outcome === "question") return "It is over: the agent asks something, and the next word is the sender's.";
  if (proof?.outcome === "blocked")
    return "It is over: something stands in the agent's way, and the next word is the sender's.";
  return "It is over.";
}

function wordsWhileOpen(record: DeliveryRecord): string {
  if (record.acceptanceUnknown) return "Whether the prompt arrived is not known; the transcript is looked at.";
  return record.responseState === "pending"
    ? "The agent is working; it is looked at again."
    : "The prompt was accepted, which proves nothing yet; the transcript is looked at.";
}

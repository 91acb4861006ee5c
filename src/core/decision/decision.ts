/** The input and the outcomes of a decision, and the few decisions that several rules share. */

import type { DeliveryEvent, EventOf } from "../delivery/delivery-event.ts";
import type { Policy } from "../delivery/policy.ts";
import { reasons } from "../delivery/reasons.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { lateReconcileAt, nextReconcileAt } from "../delivery/schedule.ts";
import type { ReplyContract } from "../lane/lane.ts";
import type { MessageOutcome } from "../message/message.ts";
import type { Observation } from "../proof/observation.ts";
import { factsOf } from "../proof/observe.ts";
import type { Reply } from "../proof/sufficiency.ts";
import { intentOf, judgeEvidence, judgeReply } from "../proof/sufficiency.ts";
import type { RuntimeTraits } from "../transcript/transcript.ts";

/** A row at the answer's destination that names this message. */
export type DestinationReply = Reply & { messageId: string; mailbox: string };

export type DecisionInput = {
  record: DeliveryRecord;
  observation: Observation;
  reply: DestinationReply | null;
  contract: ReplyContract;
  traits: RuntimeTraits;
  policy: Policy;
  /** The store commits the read together with the proof; inbox files need a second step. */
  readCommitsWithLedger: boolean;
  /** A paused lane is observed, but nothing is sent in it. */
  paused: boolean;
  now: number;
};

export type Decision =
  | { do: "nothing" }
  /** `answer` and `remark` are written with the events; `abort` is carried out after them, `pause` before. */
  | {
      do: "commit";
      events: readonly DeliveryEvent[];
      answer: string | null;
      /** Shown to the sender and labelled as such; it closes nothing. */
      remark?: Remark | null;
      abort: boolean;
      /** Why nothing more is sent in the lane: something that only a person can fix. */
      pause?: string | null;
    }
  /** The next attempt is due, and the read that must precede it found nothing against it. */
  | { do: "submit" };

export function commit(...events: DeliveryEvent[]): Extract<Decision, { do: "commit" }> {
  return { do: "commit", events, answer: null, abort: false };
}

export function observedEvent(
  input: DecisionInput,
  reason: string | null,
  reconcileAt: number | null,
): EventOf<"reconciled"> {
  const { observation, now } = input;
  const observed = factsOf(observation);
  return { type: "reconciled", at: now, observed, reason, found: observation.found, missed: false, reconcileAt };
}

export function reconcileLater(input: DecisionInput, reason: string | null, at?: number, missed = false): Decision {
  const { record, policy, now } = input;
  if (record.status === "pending") return { do: "nothing" };
  // A hint without news is not worth an audit row, and a scheduled retry keeps its time.
  if (isEarly(input) && (record.status === "retry_scheduled" || !isNews(input, reason))) return { do: "nothing" };
  return commit({ ...observedEvent(input, reason, at ?? nextReconcileAt(record, policy, now)), missed });
}

/** A hint came before the next reconcile was due. It never causes a second send or stop. */
export function isEarly({ record, now }: DecisionInput): boolean {
  return record.nextReconcileAt !== null && now < record.nextReconcileAt;
}

function isNews({ record, observation }: DecisionInput, reason: string | null): boolean {
  return (
    record.responseState !== observation.state ||
    (reason !== null && record.lastReason !== reason) ||
    (observation.found && record.status !== "accepted") ||
    (observation.assistantMessageId !== null && record.observedAssistantMessageId !== observation.assistantMessageId)
  );
}

/** Something an agent said that is not an answer, and how it is classified. */
export type Remark = { text: string; as: Extract<MessageOutcome, "acknowledgement" | "provider_error"> };

export function failForGood(input: DecisionInput, reason: string): Extract<Decision, { do: "commit" }> {
  const { observation, policy, now } = input;
  const reconcileAt = lateReconcileAt(0, policy, now);
  const failed = commit({ type: "failed_terminal", at: now, reason, observed: factsOf(observation), reconcileAt });
  return { ...failed, remark: remarkOn(input) };
}

/** Why there is no proof yet; selects the retry text. */
export function reasonFor(input: DecisionInput): string {
  const { observation, record, contract, reply } = input;
  const intent = intentOf(record);
  const replied = reply === null ? null : judgeReply(reply, intent);
  if (replied && !replied.sufficient) return replied.reason;
  const verdict = judgeEvidence(intent, contract, observation.evidence);
  const missing = verdict.sufficient ? "no_response" : verdict.reason;
  return missing === "no_response" ? (observation.reason ?? missing) : missing;
}

/**
 * The newest turn ended with words that are not an answer, and the sender gets to see them. If replies are sent by
 * tool, an acknowledgement in plain text is not meant for the sender.
 */
export function remarkOn(input: DecisionInput): Remark | null {
  const { observation, contract } = input;
  const { noticeText } = observation.evidence;
  const { closingText } = observation.lastTurn;
  if (!observation.settled || !observation.turnEndedWell) {
    return noticeText === null || !observation.settled ? null : { text: noticeText, as: "provider_error" };
  }
  const isAcknowledgement = reasonFor(input) === reasons.acknowledgement;
  if (contract !== "text" || closingText === null || !isAcknowledgement) return null;
  return { text: closingText, as: "acknowledgement" };
}

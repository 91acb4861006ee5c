/** What a decision is made from, what it may be, and the few decisions that have several reasons. */

import type { DeliveryEvent, EventOf } from "../delivery/delivery-event.ts";
import type { Policy } from "../delivery/policy.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { lateReconcileAt, nextReconcileAt } from "../delivery/schedule.ts";
import type { ReplyContract } from "../lane/lane.ts";
import type { Observation } from "../proof/observation.ts";
import { factsOf } from "../proof/observe.ts";
import { intentOf, judgeEvidence } from "../proof/sufficiency.ts";
import type { RuntimeTraits } from "../transcript/transcript.ts";

/** A row at the answer's destination that names this message. */
export type DestinationReply = { messageId: string; mailbox: string; text: string; summary: string | null };

export type DecisionInput = {
  record: DeliveryRecord;
  observation: Observation;
  reply: DestinationReply | null;
  contract: ReplyContract;
  traits: RuntimeTraits;
  policy: Policy;
  /** The store commits the read together with the proof; inbox files need a second step. */
  readCommitsWithLedger: boolean;
  /** A paused lane is observed, and nothing is sent in it. */
  paused: boolean;
  now: number;
};

export type Decision =
  | { do: "nothing" }
  /** `answer` is written back with the events; `abort` is carried out after them. */
  | { do: "commit"; events: readonly DeliveryEvent[]; answer: string | null; abort: boolean }
  /** The next attempt is due, and the read that must come before it found no reason against it. */
  | { do: "submit" };

export function commit(...events: DeliveryEvent[]): Decision {
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
  // A hint that brought no news is not worth an audit row, and a scheduled retry keeps its date.
  if (isEarly(input) && (record.status === "retry_scheduled" || !isNews(input, reason))) return { do: "nothing" };
  return commit({ ...observedEvent(input, reason, at ?? nextReconcileAt(record, policy, now)), missed });
}

/** A hint came before the date of the next input. Nothing is sent or stopped a second time because of it. */
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

export function failForGood(input: DecisionInput, reason: string): Decision {
  const { observation, policy, now } = input;
  const reconcileAt = lateReconcileAt(0, policy, now);
  return commit({ type: "failed_terminal", at: now, reason, observed: factsOf(observation), reconcileAt });
}

/** Why there is no proof yet, in the words that pick the retry text. */
export function reasonFor(input: DecisionInput): string {
  const { observation, record, contract, reply } = input;
  if (reply) return "visible_reply_ack_only_still_requires_answer";
  const verdict = judgeEvidence(intentOf(record), contract, observation.evidence);
  const missing = verdict.sufficient ? "no_response" : verdict.reason;
  return missing === "no_response" ? (observation.reason ?? missing) : missing;
}

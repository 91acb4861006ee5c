/** The events of an attempt: the one that is committed before it is sent, and the one that says what became of it. Pure. */
import type { Attempt, SubmitOutcome } from "../delivery/attempt.ts";
import { attemptDigest } from "../delivery/attempt.ts";
import type { DeliveryEvent, EventOf, NewAttempt } from "../delivery/delivery-event.ts";
import type { Policy } from "../delivery/policy.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { graceOf, lateReconcileAt, nextReconcileAt } from "../delivery/schedule.ts";
import type { Lane } from "../lane/lane.ts";
import type { RuntimeIds, TranscriptSlice } from "../transcript/transcript.ts";

/** The attempt as it will be sent. Its ids are derived, so they are the same after a crash. */
export function nextAttempt(
  record: DeliveryRecord,
  lane: Lane,
  slice: TranscriptSlice,
  idsFrom: (digest: string) => RuntimeIds,
): NewAttempt {
  const number = record.attemptList.length + 1;
  const followUpKind = record.status === "responded" ? (record.nextAttempt?.kind ?? "summary") : null;
  return {
    ...idsFrom(attemptDigest(record.id, number, lane.generation)),
    number,
    kind: followUpKind ?? (number === 1 ? "prompt" : "retry"),
    spends: record.nextAttempt?.spends ?? "attempts",
    because: record.lastReason,
    sessionId: slice.sessionId,
    generation: lane.generation,
    prePromptCursor: slice.rows.at(-1)?.id ?? null,
  };
}

/** `isThere`: the prompt stands in the transcript already, as after a restored backup. It is not sent again. */
export function submitEvents(input: {
  record: DeliveryRecord;
  attempt: NewAttempt;
  isThere: boolean;
  runtimeKind: string;
  runId: string;
  policy: Policy;
  at: number;
}): DeliveryEvent[] {
  const { record, attempt, isThere, runtimeKind, runId, policy, at } = input;
  const lookAt = nextReconcileAt({ looks: 0 }, policy, at);
  if (record.status === "responded") {
    const submit: DeliveryEvent = { type: "asked_further", at, runId, lookAt, attempt };
    return isThere ? [submit, arrived(at, lookAt)] : [submit];
  }
  const submit: DeliveryEvent = { type: "submit", at, runtimeKind, runId, lookAt, attempt };
  return isThere ? [submit, { type: "accepted", at, number: attempt.number, storedAt: at, lookAt }] : [submit];
}

export type SubmitResult = EventOf<
  "accepted" | "acceptance_unknown" | "not_sent" | "failed_terminal" | "looked" | "turn_ended"
>;

/** Null when reconciling will tell. */
export function resultOf(
  record: DeliveryRecord,
  attempt: Attempt,
  outcome: SubmitOutcome,
  policy: Policy,
  at: number,
): SubmitResult | null {
  return record.status === "responded"
    ? resultOfFollowUp(record, attempt, outcome, policy, at)
    : resultOfPrompt(record, attempt, outcome, policy, at);
}

function resultOfPrompt(
  record: DeliveryRecord,
  { number }: Attempt,
  outcome: SubmitOutcome,
  policy: Policy,
  at: number,
): SubmitResult {
  switch (outcome.outcome) {
    case "accepted":
      return { type: "accepted", at, number, storedAt: at, lookAt: at + graceOf(record, policy) };
    case "unknown": {
      const lookAt = nextReconcileAt({ looks: 0 }, policy, at);
      return { type: "acceptance_unknown", at, reason: outcome.reason, lookAt };
    }
    case "not_sent":
      return { type: "not_sent", at, reason: outcome.reason, lookAt: nextReconcileAt(record, policy, at) };
    case "refused": {
      const lookAt = lateReconcileAt(0, policy, at);
      return { type: "failed_terminal", at, reason: outcome.reason, observed: null, lookAt };
    }
    default:
      return outcome satisfies never;
  }
}

/** The delivery stays `responded`, whatever becomes of its follow-up. */
function resultOfFollowUp(
  record: DeliveryRecord,
  { kind }: Attempt,
  { outcome }: SubmitOutcome,
  policy: Policy,
  at: number,
): SubmitResult | null {
  if (outcome === "accepted") return arrived(at, at + graceOf(record, policy));
  return outcome === "refused" ? { type: "turn_ended", at, diagnostics: [`${kind}_not_asked`] } : null;
}

function arrived(at: number, lookAt: number): EventOf<"looked"> {
  return { type: "looked", at, observed: null, reason: null, found: true, missed: false, lookAt };
}

/**
 * The next prompt of a delivery: whether it is due (`decideHead`), which session it goes to (`decideSession`), and
 * the events of its attempt: the one committed before it is sent, and the one with its outcome. And what a person's
 * stop does to it (`decideStop`). Pure.
 */
import type { Attempt, FixedChoice, SubmitOutcome } from "../delivery/attempt.ts";
import { attemptDigest } from "../delivery/attempt.ts";
import type { DeliveryEvent, EventOf, NewAttempt } from "../delivery/delivery-event.ts";
import type { Policy } from "../delivery/policy.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { lastAttempt, openStatuses } from "../delivery/record.ts";
import { graceOf, lateReconcileAt, nextReconcileAt, quietAfter } from "../delivery/schedule.ts";
import type { Lane } from "../lane/lane.ts";
import { isPaused } from "../lane/lane.ts";
import type { Source } from "../message/message.ts";
import { hasRunningTool } from "../proof/observe.ts";
import type { RuntimeIds, TranscriptSlice } from "../transcript/transcript.ts";

/**
 * In a chat, a person who writes again while an earlier message waits for its retry should not have to wait for that:
 * the newer message goes first, and its turn sees both. Messages from before the retry was scheduled wait their turn.
 */
export function isSuperseded(record: DeliveryRecord, waiting: readonly DeliveryRecord[], now: number): boolean {
  if (record.status !== "retry_scheduled" || (record.nextReconcileAt ?? 0) <= now) return false;
  const { replyRecipient, updatedAt } = record;
  const isNewer = (one: DeliveryRecord) => one.createdAt >= updatedAt && one.replyRecipient === replyRecipient;
  return isChat(record) && waiting.some((one) => one.status === "pending" && isChat(one) && isNewer(one));
}

function isChat({ source }: DeliveryRecord): boolean {
  return source === "ui" || source === "telegram";
}

/** The attempt to send. Its ids are derived, so they are the same after a crash. */
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
    choice: choiceFor(record, lane),
    sessionId: slice.sessionId,
    generation: lane.generation,
    prePromptCursor: slice.rows.at(-1)?.id ?? null,
  };
}

/**
 * Every attempt keeps the choice of the one before it. Only if a person retries a delivery that no program ever
 * accepted, the lane's current choice applies: an unknown agent or model may be why it was refused.
 */
function choiceFor(record: DeliveryRecord, { agent, model }: Lane): FixedChoice {
  const wasRefused = record.status === "pending" && record.acceptedAt === null;
  const fixed = wasRefused ? null : lastAttempt(record)?.choice;
  return fixed ?? { agent, model };
}

/** `isThere`: the prompt is already in the transcript, as after a restored backup. It is not sent again. */
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
  const reconcileAt = nextReconcileAt({ reconciles: 0 }, policy, at);
  if (record.status === "responded") {
    const submit: DeliveryEvent = { type: "submit_follow_up", at, runId, reconcileAt, attempt };
    return isThere ? [submit, arrived(at, reconcileAt)] : [submit];
  }
  const submit: DeliveryEvent = { type: "submit", at, runtimeKind, runId, reconcileAt, attempt };
  return isThere ? [submit, { type: "accepted", at, number: attempt.number, storedAt: at, reconcileAt }] : [submit];
}

export type SubmitResult = EventOf<
  "accepted" | "acceptance_unknown" | "not_sent" | "failed_terminal" | "reconciled" | "turn_ended"
>;

/** Null if the next reconcile has to find out. */
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
      return { type: "accepted", at, number, storedAt: at, reconcileAt: at + graceOf(record, policy) };
    case "unknown": {
      const reconcileAt = nextReconcileAt({ reconciles: 0 }, policy, at);
      return { type: "acceptance_unknown", at, reason: outcome.reason, reconcileAt };
    }
    case "not_sent":
      return { type: "not_sent", at, reason: outcome.reason, reconcileAt: nextReconcileAt(record, policy, at) };
    case "refused": {
      const reconcileAt = lateReconcileAt(0, policy, at);
      return { type: "failed_terminal", at, reason: outcome.reason, observed: null, reconcileAt };
    }
    default:
      return outcome satisfies never;
  }
}

/** The delivery stays `responded`, whatever happens to its follow-up. */
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

/** For a delivery that a person stopped while its request was in flight. Null if the request's outcome is unknown. */
export function resultOfStopped(
  { status, turnEndedAt }: DeliveryRecord,
  { sends }: Attempt,
  outcome: SubmitOutcome,
  at: number,
): EventOf<"reconciled" | "turn_ended"> | null {
  if (status !== "cancelled" || turnEndedAt !== null || outcome.outcome === "unknown") return null;
  if (outcome.outcome === "accepted") return arrived(at, at);
  // An earlier request with the same ids may have arrived.
  return sends > 1 ? null : { type: "turn_ended", at, diagnostics: ["stopped_before_it_was_sent"] };
}

function arrived(at: number, reconcileAt: number): EventOf<"reconciled"> {
  return { type: "reconciled", at, observed: null, reason: null, found: true, missed: false, reconcileAt };
}

export type HeadDecision =
  /** Its record was lost, so it may have been sent: its attempts are looked up in the transcripts first. */
  | "find_attempts"
  | "expire"
  | "wait"
  /** It was sent before, and a person retried it: the earlier attempts may have been answered since. */
  | "reconcile"
  | "submit";

export function decideHead(record: DeliveryRecord, lane: Lane, now: number): HeadDecision {
  if (record.acceptanceUnknown) return "find_attempts";
  if (hasExpired(record, now)) return "expire";
  if (isPaused(lane)) return "wait";
  return record.attemptList.length > 0 ? "reconcile" : "submit";
}

/** A message can only expire before it is sent. */
export function hasExpired(record: DeliveryRecord, now: number): boolean {
  if (record.status !== "pending" || record.attemptList.length > 0 || record.acceptanceUnknown) return false;
  return record.expiresAt !== null && record.expiresAt <= now;
}

export type SessionDecision =
  | { do: "use" }
  | { do: "replace" }
  /** It is stuck: it is aborted, and replaced once a read shows that it stopped. */
  | { do: "abort_and_replace" }
  /** It stays busy whatever is done: it is abandoned. */
  | { do: "leave_and_replace" }
  | { do: "wait"; reason: string }
  /** The prompt makes no sense in another session. */
  | { do: "give_up"; reason: string };

/** A busy session that blocks a message: how long it has been quiet, and how many aborts did not stop it. */
export type BlockedSession = Pick<DeliveryRecord, "quietMs" | "activityAt" | "lastObservedAt"> & { aborts: number };

/** A session that stays busy after this many aborts is abandoned. */
const maxAborts = 2;

export function decideSession(input: {
  record: DeliveryRecord;
  slice: TranscriptSlice;
  blocked: BlockedSession;
  policy: Policy;
}): SessionDecision {
  const { record, slice, blocked, policy } = input;
  const isFollowUp = record.status === "responded";
  const isOwnSession = slice.sessionId === record.runtimeSessionId;
  // A follow-up makes no sense to an agent that did not do the work.
  if (isFollowUp && (slice.status === "stale" || !isOwnSession)) return { do: "give_up", reason: "session_replaced" };
  if (slice.status === "stale") return { do: "replace" };
  const replace = record.nextAttempt?.freshSession === true && isOwnSession;
  if (slice.status === "idle" && (replace || (slice.elsewhere === true && !isFollowUp))) return { do: "replace" };
  if (slice.asks.length > 0) return { do: "wait", reason: "ask_pending" };
  if (slice.status === "idle") return { do: "use" };
  const isStuck = !hasRunningTool(slice.rows) && blocked.quietMs >= policy.stuckAfterMs;
  if (isFollowUp || !(replace || isStuck)) return { do: "wait", reason: "session_busy" };
  return { do: blocked.aborts < maxAborts ? "abort_and_replace" : "leave_and_replace" };
}

/** A session is watched from the first time it blocks a message. */
export function watchBlocked(before: BlockedSession | undefined, slice: TranscriptSlice, now: number): BlockedSession {
  const known = before ?? { quietMs: 0, activityAt: null, lastObservedAt: null, aborts: 0 };
  const { lastActivityAt: activityAt } = slice;
  return { quietMs: quietAfter(known, activityAt, now), activityAt, lastObservedAt: now, aborts: known.aborts };
}

export type StopInput = {
  lane: Lane;
  /** The delivery that holds the lane. */
  holder: DeliveryRecord | null;
  /** Those that wait for their turn, oldest first. */
  waiting: readonly DeliveryRecord[];
  /** Also stops the messages from this source that wait behind the current one; null leaves them. */
  alsoWaiting: Source | null;
  now: number;
};

type StopPlan = {
  /** Ids, in this order, so that none of them is sent because another one ended. */
  cancel: readonly string[];
  /** An answered delivery whose follow-up is dropped. */
  endFollowUp: string | null;
};

/**
 * Whatever the lane is doing: waiting, sending or running. A message that was not sent is cancelled, and so never sent.
 * A sent one is cancelled and aborted: immediately if its turn is running, otherwise as soon as it is seen to have
 * arrived (`decide`).
 */
export function decideStop(input: StopInput): StopPlan {
  const { holder, waiting, alsoWaiting } = input;
  const current = holder ?? aboutToBeSent(input);
  const behind = waiting.filter(({ id, source }) => id !== current?.id && source === alsoWaiting);
  const cancelled = current && isStoppable(current) ? [...behind.toReversed(), current] : behind.toReversed();
  return {
    cancel: cancelled.map(({ id }) => id),
    endFollowUp: current && awaitsFollowUp(current) ? current.id : null,
  };
}

/** The head of a free lane may already be in progress: a session is being opened for it, or it is being retried. */
function aboutToBeSent({ lane, waiting: [head], now }: StopInput): DeliveryRecord | null {
  if (!head) return null;
  const next = decideHead(head, lane, now);
  return next === "wait" || next === "expire" ? null : head;
}

function isStoppable({ status }: DeliveryRecord): boolean {
  return status === "pending" || openStatuses.includes(status);
}

/** It is answered, and a follow-up may still be sent. */
function awaitsFollowUp({ status, turnEndedAt, nextAttempt, claims }: DeliveryRecord): boolean {
  return status === "responded" && turnEndedAt === null && (nextAttempt !== null || claims !== null);
}

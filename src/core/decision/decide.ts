/**
 * Decides what happens next after a transcript was read: returns the events to commit, or that the next attempt is
 * due now. Pure.
 *
 * The order of the questions: is it proven? did a person end it? is it still running, or did the session break?
 * Otherwise it is silence, and only silence and failure are retried.
 */

import { provenAttempt } from "../delivery/attempt.ts";
import { reasons } from "../delivery/reasons.ts";
import type { DeliveryRecord, Proof } from "../delivery/record.ts";
import { lastAttempt } from "../delivery/record.ts";
import { affordable, graceEnds, lateReconcileAt, nextReconcileAt, quietAfter } from "../delivery/schedule.ts";
import { judgeSubstance } from "../proof/acknowledgement.ts";
import type { Observation } from "../proof/observation.ts";
import { factsOf } from "../proof/observe.ts";
import { isReply } from "../proof/sends.ts";
import type { Verdict } from "../proof/sufficiency.ts";
import { intentOf, judgeEvidence, judgeReply, readsLikeError } from "../proof/sufficiency.ts";
import type { Decision, DecisionInput } from "./decision.ts";
import { commit, failForGood, isEarly, observedEvent, reconcileLater } from "./decision.ts";
import {
  afterFollowUpTurn,
  claimsIn,
  maySpeakOfFiles,
  submitFollowUp,
  summaryDeadline,
  summaryFor,
  turnEnded,
} from "./follow-up.ts";
import { retryOrGiveUp, silence } from "./silence.ts";

export function decide(input: DecisionInput): Decision {
  const { status } = input.record;
  switch (status) {
    case "responded":
    case "cancelled":
      return afterTheEnd(input);
    case "failed_terminal":
      return proven(input) ?? lateProof(input);
    case "pending":
    case "submitting":
    case "accepted":
    case "unanswered":
    case "retry_scheduled":
    case "failed_retryable":
      return proven(input) ?? endedByPerson(input) ?? stillGoingOn(input) ?? silence(input);
    default:
      return status satisfies never;
  }
}

function proven(input: DecisionInput): Decision | null {
  const { record, observation, reply, contract } = input;
  const intent = intentOf(record);
  const replied = reply === null ? null : judgeReply(reply, intent);
  // On a text lane the end of the turn is the answer, so a message sent during the turn does not close it.
  const mayClose = contract === "tool" || observation.settled || record.status === "failed_terminal";
  if (reply && replied?.sufficient && mayClose) {
    const { messageId, mailbox } = reply;
    return commitProof(input, replied, { messageId, mailbox, correlation: "relayOfMessageId" });
  }
  if (!observation.settled) return null;
  if (intent === "notify" && observation.turnEndedWell) {
    return commitProof(input, { sufficient: true, by: "notified_turn", diagnostics: [] }, null);
  }
  const verdict = judgeEvidence(intent, contract, observation.evidence, { lastWord: isLastWord(input) });
  return verdict.sufficient ? commitProof(input, verdict, visibleReplyOf(verdict.by, observation)) : null;
}

/** The agent was asked once to continue, and its turn is over; or it cannot be asked any more. */
function isLastWord({ record, observation, policy }: DecisionInput): boolean {
  if (record.status === "failed_terminal" || record.status === "pending") return false;
  const because = lastAttempt(record)?.because ?? null;
  const wasAsked = (because === reasons.acknowledgement || because === reasons.notice) && observation.lastTurn.ran;
  const mayAsk = policy.automaticRetry && affordable(record, false, false) !== null;
  return wasAsked || (!mayAsk && record.status !== "retry_scheduled");
}

function visibleReplyOf(by: Proof["by"], observation: Observation): Proof["visibleReply"] {
  if (by === "plain_text") return { messageId: null, mailbox: null, correlation: "plain_assistant_text" };
  if (by !== "visible_reply") return null;
  const named = observation.evidence.sent.some((sent) => sent.relay === "this");
  return { messageId: null, mailbox: null, correlation: named ? "relayOfMessageId" : "direct_child_message_send" };
}

function commitProof(
  input: DecisionInput,
  verdict: Extract<Verdict, { sufficient: true }>,
  visibleReply: Proof["visibleReply"],
): Decision {
  const { observation, policy, now, record } = input;
  const answersInText = input.contract === "text" || verdict.by === "plain_text";
  const missingAtDestination = verdict.by === "visible_reply" ? ["visible_reply_destination_not_found_yet"] : [];
  const answer = observation.settled && answersInText ? answerOf(verdict, observation) : null;
  const next = verdict.by === "tool" ? summaryFor(input) : null;
  const text = answer ?? repliedText(input, verdict.by);
  const claims = text !== null && mayNameFiles(text) ? claimsIn(text, input) : null;
  const keepsLane = next !== null || (claims !== null && maySpeakOfFiles(input));
  return {
    do: "commit",
    abort: false,
    answer,
    events: [
      {
        type: "proven",
        at: now,
        attempt: provenAttempt(observation.timings) ?? record.attemptList.length,
        proof: { by: verdict.by, visibleReply, ...(verdict.outcome ? { outcome: verdict.outcome } : {}) },
        observed: observation.state === "reconcile_failed" ? null : factsOf(observation),
        turnEnded: observation.settled && !keepsLane,
        readCommitted: input.readCommitsWithLedger,
        diagnostics: [...verdict.diagnostics, ...missingAtDestination],
        claims,
        next,
        reconcileAt: next || claims ? now : nextReconcileAt(record, policy, now),
      },
    ],
  };
}

/** Work counts on its own: an acknowledgement next to it is not passed on as its answer. */
function answerOf(
  { by, diagnostics }: Extract<Verdict, { sufficient: true }>,
  { evidence }: Observation,
): string | null {
  if (by === "plain_text" && diagnostics.includes(readsLikeError)) return evidence.noticeText;
  const { finalText, request } = evidence;
  if (by !== "tool" || finalText === null) return finalText;
  return judgeSubstance(finalText, request) === "acknowledgement" ? null : finalText;
}

/** The reply sent by tool, to find the files it names. */
function repliedText({ reply, observation }: DecisionInput, by: Proof["by"]): string | null {
  if (by === "destination_reply") return reply?.text ?? null;
  return by === "visible_reply" ? (observation.evidence.sent.findLast(isReply)?.text ?? null) : null;
}

/** Cheap test: a file name contains a dot. */
function mayNameFiles(text: string): boolean {
  return /\.\w/.test(text);
}

/** Stops and refusals are decisions, not silence. */
function endedByPerson(input: DecisionInput): Decision | null {
  const { observation, record, policy, now } = input;
  // A person who retries has decided again, and a session being replaced was aborted by Waybill.
  const decidedAnew = record.status === "pending" || record.nextAttempt?.freshSession === true;
  if (!observation.settled || decidedAnew) return null;
  if (observation.askRejected) return failForGood(input, "ask_rejected");
  if (!observation.aborted) return null;
  return commit({
    type: "cancelled",
    at: now,
    by: "session",
    reason: "stopped_in_session",
    readCommitted: input.readCommitsWithLedger,
    reconcileAt: nextReconcileAt(record, policy, now),
  });
}

/** Busy, blocked and unknown are never a reason to prompt; a session without any activity is. */
function stillGoingOn(input: DecisionInput): Decision | null {
  const { observation, record } = input;
  // A delivery that a person retried is sent as soon as the session is idle; submitting also handles a stuck session.
  if (record.status === "pending" && isBusy(observation)) return { do: "submit" };
  switch (observation.state) {
    case "permission_blocked":
    case "question_blocked":
    case "reconcile_failed":
      return reconcileLater(input, observation.reason ?? observation.state);
    case "prompt_not_indexed":
    case "pending":
      if (turnIsStuck(input)) return replaceSession(input);
      return reconcileLater(input, isQuietForLong(input) ? "tool_runs_long" : null);
    case "session_stale":
      return retryOrGiveUp(input, "session_stale", "fresh_session");
    default:
      return null;
  }
}

function replaceSession(input: DecisionInput): Decision {
  const decision = retryOrGiveUp(input, "session_stuck", "fresh_session");
  // With no budget left, at least stop the session, or it would block the next message.
  const failed = decision.do === "commit" && decision.events.some((event) => event.type === "failed_terminal");
  return failed ? { ...decision, abort: true } : decision;
}

function isBusy(observation: Observation): boolean {
  return observation.state === "pending" || observation.state === "prompt_not_indexed";
}

/**
 * Busy without any activity for too long. A running tool counts as activity, however long it takes, but gets a
 * reason.
 */
function turnIsStuck(input: DecisionInput): boolean {
  return isQuietForLong(input) && !input.observation.toolRunning;
}

function isQuietForLong({ record, observation, policy, now }: DecisionInput): boolean {
  return isBusy(observation) && quietAfter(record, observation.lastActivityAt, now) >= policy.stuckAfterMs;
}

function lateProof(input: DecisionInput): Decision {
  const { record, policy, now } = input;
  if (record.nextReconcileAt === null || now < record.nextReconcileAt) return { do: "nothing" };
  return commit(observedEvent(input, null, lateReconcileAt(record.reconciles + 1, policy, now)));
}

/** The outcome is final; only the end of the turn is owed, so that the lane can go to the next message. */
function afterTheEnd(input: DecisionInput): Decision {
  const { record, observation, policy, now } = input;
  if (record.turnEndedAt !== null) return { do: "nothing" };
  if (record.nextAttempt !== null) return submitFollowUp(input);
  const afterwards = afterFollowUpTurn(input);
  if (afterwards) return afterwards;
  const resting = observation.settled || observation.state === "session_stale";
  if (resting && !mayStillArrive(input)) return commit(turnEnded(input));
  if (isEarly(input) && !arrivesAfterTheStop(input)) return { do: "nothing" };
  if (ignoresAborts(input)) return commit(turnEnded(input, ["turn_left_running"]));
  const next = resting ? graceEnds(record, policy) : nextReconcileAt(record, policy, now);
  const reconcileAt = Math.min(next, summaryDeadline(record, policy) ?? next);
  const event = { ...observedEvent(input, null, Math.max(reconcileAt, now + policy.rereadMs)), missed: resting };
  return { do: "commit", events: [event], answer: null, abort: isOursToStop(record, input) };
}

/**
 * A stopped delivery whose request may still be in flight, or whose prompt is stored and has not begun. Its lane is
 * not released before its turn would have begun.
 */
function mayStillArrive({ record, observation, policy, now }: DecisionInput): boolean {
  const isUnderWay = record.acceptanceUnknown && !observation.found;
  const isUnbegun = observation.found && !observation.lastTurn.ran && !observation.laterPrompt;
  if (!isUnderWay && !(record.status === "cancelled" && isUnbegun)) return false;
  return now < graceEnds(record, policy) || record.missedReads === 0;
}

/** A turn that begins only after a person stopped it is aborted immediately, once. */
function arrivesAfterTheStop(input: DecisionInput): boolean {
  const { record, observation } = input;
  return record.responseState !== observation.state && isOursToStop(record, input);
}

/** Aborted at every reconcile and still stuck after all that time: the lane is released and the session abandoned. */
function ignoresAborts(input: DecisionInput): boolean {
  const { record, observation, policy, now } = input;
  const quietMs = quietAfter(record, observation.lastActivityAt, now);
  return isOursToStop(record, input) && turnIsStuck(input) && quietMs >= 2 * policy.stuckAfterMs;
}

/**
 * A turn that a person cancelled, or one that answered and then hung; never somebody else's turn in the same session.
 */
function isOursToStop(record: DeliveryRecord, input: DecisionInput): boolean {
  const { observation } = input;
  if (observation.settled || !observation.found || observation.laterPrompt) return false;
  return record.status === "cancelled" || turnIsStuck(input);
}

/**
 * After a look: what happens next. Pure. Takes what is known about a delivery and returns the events to commit,
 * or says that the next attempt is to be made now.
 *
 * The order of the questions: is it proven? did a person end it? is it still going on? did it never start?
 * did the session break? Only what is left is silence, and only silence and failure are retried.
 */
import type { RuntimeTraits } from "../runtimes/port.ts";
import { maxSendsPerAttempt } from "./attempt.ts";
import type { DeliveryEvent } from "./delivery-event.ts";
import type { ReplyContract } from "./lane.ts";
import type { Observation } from "./observation.ts";
import { factsOf } from "./observation.ts";
import type { Policy } from "./policy.ts";
import { isForPeople } from "./provider-error.ts";
import type { DeliveryRecord, Proof } from "./record.ts";
import { lastAttempt } from "./record.ts";
import { affordable, graceEnds, isStuck, lateLook, nextLook, retryDelay } from "./retry.ts";
import type { Verdict } from "./sufficiency.ts";
import { intentOf, judgeEvidence, judgeReply } from "./sufficiency.ts";

/** A row at the answer's destination that names this message. */
export type DestinationReply = { messageId: string; mailbox: string; text: string; summary: string | null };

export type Look = {
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
  | { do: "commit"; events: readonly DeliveryEvent[]; answer: string | null; abort: boolean }
  /** The scheduled attempt is due, and the look that must come before it found no reason against it. */
  | { do: "submit" };

export function decide(look: Look): Decision {
  const { record } = look;
  switch (record.status) {
    case "responded":
    case "cancelled":
      return afterTheEnd(look);
    case "failed_terminal":
      return proven(look) ?? lateProof(look);
    case "pending":
    case "submitting":
    case "accepted":
    case "unanswered":
    case "retry_scheduled":
    case "failed_retryable":
      return proven(look) ?? endedByPerson(look) ?? stillGoingOn(look) ?? silence(look);
    default:
      return record.status satisfies never;
  }
}

function proven(look: Look): Decision | null {
  const { record, observation, reply, contract } = look;
  const replied = reply === null ? null : judgeReply(reply, contract);
  if (reply && replied?.sufficient) {
    return commitProof(look, replied, {
      messageId: reply.messageId,
      mailbox: reply.mailbox,
      correlation: "relayOfMessageId",
    });
  }
  if (!observation.settled) return null;
  const intent = intentOf(record);
  if (intent === "notify" && observation.turnEndedWell) {
    return commitProof(look, { sufficient: true, by: "notified_turn", diagnostics: [] }, null);
  }
  const verdict = judgeEvidence(intent, contract, observation.evidence);
  if (!verdict.sufficient) return null;
  return commitProof(look, verdict, visibleReplyOf(verdict.by, observation));
}

function visibleReplyOf(by: Proof["by"], observation: Observation): Proof["visibleReply"] {
  if (by === "plain_text") return { messageId: null, mailbox: null, correlation: "plain_assistant_text" };
  if (by !== "visible_reply") return null;
  const named = observation.evidence.sent.some((sent) => sent.relay === "this");
  return { messageId: null, mailbox: null, correlation: named ? "relayOfMessageId" : "direct_child_message_send" };
}

function commitProof(
  look: Look,
  verdict: Extract<Verdict, { sufficient: true }>,
  visibleReply: Proof["visibleReply"],
): Decision {
  const { observation, policy, now, record } = look;
  const answersInText = look.contract === "text" || verdict.by === "plain_text";
  const missingAtDestination = verdict.by === "visible_reply" ? ["visible_reply_destination_not_found_yet"] : [];
  return {
    do: "commit",
    abort: false,
    answer: observation.settled && answersInText ? observation.evidence.finalText : null,
    events: [
      {
        type: "proven",
        at: now,
        proof: { by: verdict.by, visibleReply },
        observed: observation.state === "reconcile_failed" ? null : factsOf(observation),
        turnEnded: observation.settled,
        readCommitted: look.readCommitsWithLedger,
        diagnostics: [...verdict.diagnostics, ...missingAtDestination],
        lookAt: nextLook(record, policy, now),
      },
    ],
  };
}

/** Stops and refusals are decisions, not silence. */
function endedByPerson(look: Look): Decision | null {
  const { observation, record, now } = look;
  // A person who retries has decided anew, and a session that is being replaced was aborted by us.
  const decidedAnew = record.status === "pending" || record.nextAttempt?.freshSession === true;
  if (!observation.settled || decidedAnew) return null;
  if (observation.aborted) {
    return commit({
      type: "cancelled",
      at: now,
      by: "session",
      reason: "stopped_in_session",
      readCommitted: look.readCommitsWithLedger,
      lookAt: nextLook(record, look.policy, now),
    });
  }
  return observation.askRejected ? failForGood(look, "ask_rejected") : null;
}

/** Busy, blocked and unknown are never a reason to prompt; a session without any sign of life is. */
function stillGoingOn(look: Look): Decision | null {
  const { observation } = look;
  switch (observation.state) {
    case "permission_blocked":
    case "question_blocked":
    case "reconcile_failed":
    case "prompt_not_indexed":
      return lookAgain(look, observation.reason ?? observation.state);
    case "pending": {
      if (!turnIsStuck(look)) return lookAgain(look, null);
      const decision = giveUpOrRetry(look, "session_stuck", { repair: true, freshSession: true });
      // With no repair left the session is at least stopped, or it would keep the next message waiting.
      const failed = decision.do === "commit" && decision.events.some((event) => event.type === "failed_terminal");
      return failed ? { ...decision, abort: true } : decision;
    }
    case "session_stale":
      return giveUpOrRetry(look, "session_stale", { repair: true, freshSession: true });
    default:
      return null;
  }
}

function turnIsStuck({ record, observation, policy, now }: Look): boolean {
  if (observation.state !== "pending") return false;
  const quietSince = observation.lastActivityAt ?? record.submittedAt ?? now;
  return isStuck({ quietSince, toolRunning: observation.toolRunning }, policy, now);
}

function silence(look: Look): Decision {
  const { record, observation, policy, traits, now } = look;
  if (record.status === "retry_scheduled") return dueOrNot(look);
  if (record.status === "pending") return submitIfAffordable(look);
  if (observation.providerError && isForPeople(observation.providerError)) {
    return failForGood(look, `provider_${observation.providerError}`);
  }

  const missed = isMissed(observation);
  const neverLeft = lastAttempt(record)?.left === false && !observation.found;
  const graceOver = now >= graceEnds(record, policy);
  if (!graceOver && !neverLeft) return lookAgain(look, reasonFor(look), graceEnds(record, policy), missed);
  if (missed) {
    const twice = neverLeft || record.missedReads + 1 >= 2;
    if (!twice) return lookAgain(look, reasonFor(look), now + policy.rereadMs, true);
    const again = sendAgain(look);
    if (again) return again;
  }
  const swallowed = observation.interrupted && traits.sendingAgain === "swallowed";
  return giveUpOrRetry(look, reasonFor(look), { repair: swallowed, freshSession: false });
}

function isMissed(observation: Observation): boolean {
  return observation.state === "not_observed" || observation.state === "prompt_delivered_no_assistant_message";
}

/** The same ids once more: allowed only when nothing was prompted after them, and not too often. */
function sendAgain(look: Look): Decision | null {
  const { record, observation, policy, now } = look;
  const last = lastAttempt(record);
  if (!last || last.sends >= maxSendsPerAttempt || observation.laterPrompt || !policy.automaticRetry) return null;
  if (look.paused) return lookAgain(look, "lane_paused", undefined, true);
  // A runtime that swallows a known id would only acknowledge it.
  if (observation.found && look.traits.sendingAgain === "swallowed") return null;
  if (record.status === "unanswered") return null;
  return commit(
    { ...lookedEvent(look, reasonFor(look), now + policy.rereadMs), missed: true },
    { type: "send_again", at: now, number: last.number, lookAt: nextLook({ looks: 0 }, policy, now) },
  );
}

/** A waiting delivery that was sent before: its old attempts count, also when they were found in a transcript. */
function submitIfAffordable(look: Look): Decision {
  return affordable(look.record, false, false) ? { do: "submit" } : failForGood(look, reasonFor(look));
}

function dueOrNot(look: Look): Decision {
  const { record, policy, now } = look;
  if (now < (record.nextLookAt ?? 0)) return { do: "nothing" };
  if (look.paused) return lookAgain(look, null);
  return policy.automaticRetry ? { do: "submit" } : failForGood(look, "automatic_retry_is_off");
}

function giveUpOrRetry(look: Look, reason: string, wanted: { repair: boolean; freshSession: boolean }): Decision {
  const { record, observation, policy, now } = look;
  if (record.status === "retry_scheduled") return dueOrNot(look);
  if (record.status === "pending") return submitIfAffordable(look);
  const next = policy.automaticRetry ? affordable(record, wanted.repair, wanted.freshSession) : null;
  if (next === null) return failForGood(look, policy.automaticRetry ? reason : "automatic_retry_is_off");

  const wait = wanted.repair ? 0 : retryDelay(record.attempts, policy);
  const observed = factsOf(observation);
  // Only an accepted prompt can go unanswered; everything else that may be tried again failed.
  const acceptedNow = observation.found || record.status === "accepted";
  const isSilence =
    acceptedNow && !observation.interrupted && observation.providerError === null && isQuiet(observation);
  const found = observation.found && record.status !== "accepted" ? [lookedEvent(look, reason, now + wait)] : [];
  const ending: DeliveryEvent[] =
    record.status === "unanswered"
      ? []
      : [{ type: isSilence ? "unanswered" : "failed_retryable", at: now, reason, observed, lookAt: now + wait }];
  return commit(...found, ...ending, { type: "retry_scheduled", at: now, next, lookAt: now + wait });
}

function isQuiet(observation: Observation): boolean {
  return !["session_stale", "session_error", "tool_error", "pending"].includes(observation.state);
}

function failForGood(look: Look, reason: string): Decision {
  const { observation, policy, now } = look;
  return commit({
    type: "failed_terminal",
    at: now,
    reason,
    observed: factsOf(observation),
    lookAt: lateLook(0, policy, now),
  });
}

function lateProof(look: Look): Decision {
  const { record, policy, now } = look;
  if (record.nextLookAt === null || now < record.nextLookAt) return { do: "nothing" };
  return commit(lookedEvent(look, null, lateLook(record.looks + 1, policy, now)));
}

/** The answer stands; what is owed is the end of the turn, so that the lane can be given to the next message. */
function afterTheEnd(look: Look): Decision {
  const { record, observation, policy, now } = look;
  if (record.turnEndedAt !== null) return { do: "nothing" };
  const over = observation.settled || observation.state === "session_stale";
  if (over) return commit({ type: "turn_ended", at: now });
  const events = [lookedEvent(look, null, nextLook(record, policy, now))];
  // The abort may have been lost with the process that was to send it; and an answered turn may hang.
  const readable = observation.state !== "reconcile_failed";
  const abort = readable && (record.status === "cancelled" || turnIsStuck(look));
  return { do: "commit", events, answer: null, abort };
}

/** Why there is no proof yet, in the words that pick the retry text. */
function reasonFor(look: Look): string {
  const { observation, record, contract, reply } = look;
  if (reply) return "visible_reply_ack_only_still_requires_answer";
  const verdict = judgeEvidence(intentOf(record), contract, observation.evidence);
  const missing = verdict.sufficient ? "no_response" : verdict.reason;
  return missing === "no_response" ? (observation.reason ?? missing) : missing;
}

function lookAgain(look: Look, reason: string | null, at?: number, missed = false): Decision {
  const { record, policy, now } = look;
  if (record.status === "pending") return { do: "nothing" };
  // A scheduled retry keeps its date; only a due one is put off.
  const due = record.status === "retry_scheduled" && record.nextLookAt !== null && now < record.nextLookAt;
  const lookAt = due ? record.nextLookAt : (at ?? nextLook(record, policy, now));
  return commit({ ...lookedEvent(look, reason, lookAt), missed });
}

function lookedEvent(look: Look, reason: string | null, lookAt: number | null) {
  const { observation, now } = look;
  return {
    type: "looked" as const,
    at: now,
    observed: factsOf(observation),
    reason,
    found: observation.found,
    missed: false,
    lookAt,
  };
}

function commit(...events: DeliveryEvent[]): Decision {
  return { do: "commit", events, answer: null, abort: false };
}

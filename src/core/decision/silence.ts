/**
 * What to do about an idle session without proof: wait for the grace time, send the same ids again, make a new
 * attempt, or give up. Pure.
 */
import { maxSendsPerAttempt } from "../delivery/attempt.ts";
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import { lastAttempt } from "../delivery/record.ts";
import { affordable, graceEnds, longestBackOffMs, nextReconcileAt, retryDelay } from "../delivery/schedule.ts";
import type { Observation } from "../proof/observation.ts";
import { factsOf } from "../proof/observe.ts";
import { isForPeople } from "../proof/provider-error.ts";
import type { Decision, DecisionInput } from "./decision.ts";
import { commit, failForGood, isEarly, observedEvent, reasonFor, reconcileLater, remarkOn } from "./decision.ts";

export function silence(input: DecisionInput): Decision {
  const { record, observation, policy, now } = input;
  if (record.status === "retry_scheduled" || record.status === "pending") return nextAttempt(input);
  // Only a person can fix this, so later messages wait for one. A text that merely reads like such an error is
  // retried.
  if (observation.providerError && isForPeople(observation.providerError) && observation.evidence.noticeText === null) {
    const reason = `provider_${observation.providerError}`;
    return { ...failForGood(input, reason), pause: reason };
  }
  if (observation.providerError === "rejected") return failForGood(input, "provider_rejected");
  const reason = reasonFor(input);
  // The turn is over and its words are known: there is nothing to wait for before they are shown.
  if (remarkOn(input) !== null) return retryOrGiveUp(input, reason);
  if (observation.awaitsSend) {
    if (record.missedReads === 0) return reconcileLater(input, reason, now + policy.rereadMs, true);
    if (isEarly(input)) return { do: "nothing" };
  }
  if (neverLeft(input)) {
    return isEarly(input) ? { do: "nothing" } : (sendAgain(input) ?? retryOrGiveUp(input, reason));
  }
  const missed = isMissed(observation);
  const graceOver = graceEnds(record, policy);
  if (now < graceOver) return reconcileLater(input, reason, graceOver, missed);
  if (missed && record.missedReads === 0) return reconcileLater(input, reason, now + policy.rereadMs, true);
  if (missed && isEarly(input)) return { do: "nothing" };
  return (missed ? sendAgain(input) : null) ?? retryOrGiveUp(input, reason, diedWhereSwallowed(input));
}

/** The session is idle, and the prompt is missing, or it is stored and never ran. */
function isMissed(observation: Observation): boolean {
  return observation.state === "not_observed" || observation.state === "prompt_delivered_no_assistant_message";
}

function neverLeft({ record, observation }: DecisionInput): boolean {
  return lastAttempt(record)?.left === false && !observation.found;
}

/** If known ids are swallowed, a turn that died or never ran needs new ids; that is a repair, not a retry. */
function diedWhereSwallowed({ observation, traits }: DecisionInput): "repair" | "retry" {
  const died = observation.interrupted || observation.state === "prompt_delivered_no_assistant_message";
  return died && observation.found && traits.sendingAgain === "swallowed" ? "repair" : "retry";
}

/** The same ids once more: only if no other prompt followed them, and not too often. */
export function sendAgain(input: DecisionInput): Decision | null {
  const { record, observation, policy, traits, now } = input;
  const last = lastAttempt(record);
  if (!last || last.sends >= maxSendsPerAttempt || observation.laterPrompt) return null;
  // Sending what never left is not a second send.
  if (!policy.automaticRetry && !neverLeft(input)) return null;
  if (observation.found && traits.sendingAgain === "swallowed") return null;
  // A follow-up to a proven delivery needs no reason.
  const isProven = record.status === "responded";
  if (input.paused) return reconcileLater(input, isProven ? null : "lane_paused", undefined, true);
  return commit(
    { ...observedEvent(input, isProven ? null : reasonFor(input), now + policy.rereadMs), missed: true },
    { type: "send_again", at: now, number: last.number, reconcileAt: nextReconcileAt({ reconciles: 0 }, policy, now) },
  );
}

/** A scheduled attempt, or one that a person asked for: made when it is due and the budget allows it. */
function nextAttempt(input: DecisionInput): Decision {
  const { record, policy, now } = input;
  if (record.status === "pending") {
    return affordable(record, false, false) ? { do: "submit" } : failForGood(input, reasonFor(input));
  }
  if (now < (record.nextReconcileAt ?? 0)) return { do: "nothing" };
  if (input.paused) return reconcileLater(input, null);
  return policy.automaticRetry ? { do: "submit" } : failForGood(input, "automatic_retry_is_off");
}

/** Schedules a new attempt if the budget allows it. A repair gets a fresh session if the old one broke. */
export function retryOrGiveUp(
  input: DecisionInput,
  reason: string,
  kind: "retry" | "repair" | "fresh_session" = "retry",
): Decision {
  const { record, observation, policy, now } = input;
  if (record.status === "retry_scheduled" || record.status === "pending") return nextAttempt(input);
  if (!policy.automaticRetry) return failForGood(input, "automatic_retry_is_off");
  const affordableNext = affordable(record, kind !== "retry", kind === "fresh_session");
  if (affordableNext === null) return failForGood(input, reason);
  const backOffMs = backOff(observation);
  const next = backOffMs === 0 ? affordableNext : { ...affordableNext, backOffMs };

  // A repair paid from attempts waits like any attempt: the repairs before it did not help.
  const wait = Math.max(retryDelay(record.attempts, policy), backOffMs);
  const reconcileAt = next.spends === "attempts" ? now + wait : now;
  const observed = factsOf(observation);
  const justFound =
    observation.found && record.status !== "accepted" ? [observedEvent(input, reason, reconcileAt)] : [];
  const type = wentUnanswered(input) ? "unanswered" : "failed_retryable";
  const ended: DeliveryEvent = { type, at: now, reason, observed, reconcileAt };
  const decision = commit(...justFound, ended, { type: "retry_scheduled", at: now, next, reconcileAt });
  return { ...decision, remark: remarkOn(input) };
}

/** As long as the provider asks for, up to the limit. */
function backOff({ providerError, retryAfterMs }: Observation): number {
  return providerError === null ? 0 : Math.min(retryAfterMs ?? 0, longestBackOffMs);
}

/** Only a prompt that arrived can go unanswered; everything else that may be retried has failed. */
function wentUnanswered({ record, observation }: DecisionInput): boolean {
  const arrived = observation.found || record.status === "accepted";
  const broke = observation.interrupted || observation.providerError !== null;
  return arrived && !broke && !["session_stale", "session_error", "tool_error", "pending"].includes(observation.state);
}

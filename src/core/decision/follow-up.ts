/**
 * Follow-ups after a message is proven and read: a request for a summary, if the agent changed files and said
 * nothing, and one about missing files that its answer names. Pure.
 *
 * The delivery stays `responded`, and keeps its lane because the end of its turn is still owed. Each follow-up is
 * sent at most once, with its own ids, and the lane is released whatever comes of it.
 */
import type { FollowUpKind, NextAttempt } from "../delivery/attempt.ts";
import { isFollowUp } from "../delivery/attempt.ts";
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import type { Policy } from "../delivery/policy.ts";
import type { Claims, DeliveryRecord } from "../delivery/record.ts";
import { lastAttempt } from "../delivery/record.ts";
import { graceEnds, nextReconcileAt } from "../delivery/schedule.ts";
import type { ReplyContract } from "../lane/lane.ts";
import { judgeSubstance } from "../proof/acknowledgement.ts";
import { claimedFiles } from "../proof/claims.ts";
import type { Evidence } from "../proof/observation.ts";
import { factsOf } from "../proof/observe.ts";
import { changesFiles } from "../transcript/tool-calls.ts";
import type { Decision, DecisionInput } from "./decision.ts";
import { commit, isEarly, observedEvent, reconcileLater } from "./decision.ts";
import { sendAgain } from "./silence.ts";

/** Proven by tools alone: silent work in files leaves the sender with nothing to read. */
export function summaryFor(input: DecisionInput): NextAttempt | null {
  const { record, observation, contract, policy } = input;
  const { evidence } = observation;
  const silent = contract === "text" && saysNothing(evidence);
  const ownsLane = record.status !== "failed_terminal" && observation.settled && !observation.laterPrompt;
  const wanted = policy.summarizeSilentWork && policy.automaticRetry;
  const useless = observation.providerError !== null || observation.aborted;
  if (!silent || !ownsLane || !wanted || useless || !evidence.executions.some(changesFiles)) return null;
  return further("summary");
}

function saysNothing({ finalText, request }: Evidence): boolean {
  return finalText === null || judgeSubstance(finalText, request) === "acknowledgement";
}

/** The files that an answer names, to be checked on disk for a while. */
export function claimsIn(answer: string, { policy, now }: DecisionInput): Claims | null {
  const names = claimedFiles(answer);
  return names.length === 0 ? null : { names, until: now + policy.fileWaitMs };
}

/** If the agent may be told about missing files, its lane is kept until they have been checked. */
export function maySpeakOfFiles({ record, observation, contract, policy }: DecisionInput): boolean {
  return (
    policy.followUpMissingFiles &&
    policy.automaticRetry &&
    contract === "text" &&
    record.status !== "failed_terminal" &&
    observation.settled
  );
}

/** After a check of the disk: check again soon, or settle the result. */
export function afterFileCheck(input: {
  record: DeliveryRecord;
  missing: readonly string[];
  contract: ReplyContract;
  policy: Policy;
  now: number;
}): DeliveryEvent {
  const { record, missing, contract, policy, now } = input;
  const until = record.claims?.until ?? now;
  if (missing.length > 0 && now < until) {
    const reconcileAt = Math.min(now + policy.fileCheckMs, until);
    return { type: "reconciled", at: now, observed: null, reason: null, found: false, missed: false, reconcileAt };
  }
  const mayAsk = missing.length > 0 && policy.followUpMissingFiles && policy.automaticRetry && contract === "text";
  const next = mayAsk && record.turnEndedAt === null ? further("follow_up") : null;
  return { type: "files_checked", at: now, missing, next, reconcileAt: now };
}

/** The follow-up is due. It is sent only to an idle session. */
export function submitFollowUp(input: DecisionInput): Decision {
  const { record, observation, policy, now } = input;
  if (observation.state === "session_stale" || observation.laterPrompt || !policy.automaticRetry) {
    return giveBack(input, `${record.nextAttempt?.kind}_not_asked`);
  }
  if (observation.settled && !input.paused) return { do: "submit" };
  if (isEarly(input)) return { do: "nothing" };
  return commit(observedEvent(input, null, nextReconcileAt(record, policy, now)));
}

/**
 * The follow-up was sent: the text that ended its turn is passed on. Null if there is none, or its turn is still
 * running.
 */
export function afterFollowUpTurn(input: DecisionInput): Decision | null {
  const { record, observation, policy, now } = input;
  const last = lastAttempt(record);
  if (!last || !isFollowUp(last.kind) || record.status !== "responded") return null;
  if (!observation.settled) return summaryIsOverdue(input) ? giveUpSummary(input) : null;
  if (observation.state === "session_stale") return giveBack(input, `${last.kind}_not_answered`);
  const { ran, closingText } = observation.lastTurn;
  if (ran && closingText === null) return giveBack(input, `${last.kind}_not_answered`);
  if (ran) {
    return { do: "commit", events: [turnEnded(input)], answer: closingText, abort: false };
  }
  const graceOver = graceEnds(record, policy);
  if (now < graceOver) return reconcileLater(input, null, graceOver, true);
  if (isEarly(input)) return { do: "nothing" };
  if (record.missedReads === 0) return reconcileLater(input, null, now + policy.rereadMs, true);
  return sendAgain(input) ?? giveBack(input, `${last.kind}_not_answered`);
}

/** When the lane is released, with or without the requested summary; null if none was requested. */
export function summaryDeadline(record: DeliveryRecord, policy: Policy): number | null {
  const last = lastAttempt(record);
  return last?.kind === "summary" && record.status === "responded" ? last.submittedAt + policy.summaryLimitMs : null;
}

function summaryIsOverdue({ record, policy, now }: DecisionInput): boolean {
  const deadline = summaryDeadline(record, policy);
  return deadline !== null && now >= deadline;
}

/** The summary is overdue. Its turn is stopped, unless a tool is running in it or somebody else's prompt follows it. */
function giveUpSummary(input: DecisionInput): Decision {
  const { found, laterPrompt, toolRunning } = input.observation;
  const end = turnEnded(input, ["summary_not_answered"]);
  return { ...commit(end), abort: found && !laterPrompt && !toolRunning };
}

function giveBack(input: DecisionInput, diagnostic: string): Decision {
  return commit(turnEnded(input, [diagnostic]));
}

/** A stale session shows nothing; earlier observations stand. */
export function turnEnded({ observation, now }: DecisionInput, diagnostics: readonly string[] = []): DeliveryEvent {
  const observed = observation.state === "session_stale" ? null : factsOf(observation);
  return { type: "turn_ended", at: now, observed, diagnostics };
}

function further(kind: FollowUpKind): NextAttempt {
  return { kind, spends: "follow_ups", freshSession: false };
}

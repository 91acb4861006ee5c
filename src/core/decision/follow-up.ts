/**
 * What may still be asked of the agent when its message is proven and read: for a summary, when it changed files and
 * said nothing, and about files that its answer names and nobody finds. Pure.
 *
 * The delivery stays what it is, `responded`, and its lane is kept by the end of the turn that is still to come. Each
 * of the two is asked once at most, under ids of its own, and whatever comes of it, the lane is given back.
 */
import type { FurtherKind, NextAttempt } from "../delivery/attempt.ts";
import { isFurther } from "../delivery/attempt.ts";
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import type { Policy } from "../delivery/policy.ts";
import type { Claims, DeliveryRecord, Proof } from "../delivery/record.ts";
import { lastAttempt } from "../delivery/record.ts";
import { graceEnds, nextLook } from "../delivery/schedule.ts";
import type { ReplyContract } from "../lane/lane.ts";
import { claimedFiles } from "../proof/claims.ts";
import { factsOf } from "../proof/observation.ts";
import { changesFiles } from "../transcript/tool-names.ts";
import type { Decision, Look } from "./decision.ts";
import { commit, isEarly, lookAgain, looked } from "./decision.ts";
import { sendAgain } from "./silence.ts";

/** Work in files that nobody said a word about: whoever waits for it has nothing to read. */
export function summaryFor(look: Look, by: Proof["by"]): NextAttempt | null {
  const { record, observation, contract, policy } = look;
  const { evidence } = observation;
  const silent = by === "tool" && contract === "text" && evidence.finalText === null;
  const ownsLane = record.status !== "failed_terminal" && observation.settled && !observation.laterPrompt;
  const wanted = policy.summarizeSilentWork && policy.automaticRetry;
  const useless = observation.providerError !== null || observation.aborted;
  if (!silent || !ownsLane || !wanted || useless || !evidence.executions.some(changesFiles)) return null;
  return further("summary");
}

/** The files that an answer names, to be looked for on disk for a while. */
export function claimsIn(answer: string | null, { policy, now }: Look): Claims | null {
  const names = answer === null ? [] : claimedFiles(answer);
  return names.length === 0 ? null : { names, until: now + policy.fileWaitMs };
}

/** Where the agent may be told of missing files, its lane is kept until it is known whether there are any. */
export function maySpeakOfFiles({ record, observation, contract, policy }: Look): boolean {
  return (
    policy.followUpMissingFiles &&
    policy.automaticRetry &&
    contract === "text" &&
    record.status !== "failed_terminal" &&
    observation.settled
  );
}

/** After the disk was looked at: once more in a moment, or that is how it is. */
export function afterFileLook(input: {
  record: DeliveryRecord;
  missing: readonly string[];
  contract: ReplyContract;
  policy: Policy;
  now: number;
}): DeliveryEvent {
  const { record, missing, contract, policy, now } = input;
  const until = record.claims?.until ?? now;
  if (missing.length > 0 && now < until) {
    const lookAt = Math.min(now + policy.fileLookMs, until);
    return { type: "looked", at: now, observed: null, reason: null, found: false, missed: false, lookAt };
  }
  const mayAsk = missing.length > 0 && policy.followUpMissingFiles && policy.automaticRetry && contract === "text";
  const next = mayAsk && record.turnEndedAt === null ? further("follow_up") : null;
  return { type: "files_looked_for", at: now, missing, next, lookAt: now };
}

/** The prompt is due. It is sent to a session at rest, and to no other. */
export function askFurther(look: Look): Decision {
  const { record, observation, policy, now } = look;
  if (observation.state === "session_stale" || observation.laterPrompt || !policy.automaticRetry) {
    return giveBack(look, `${record.nextAttempt?.kind}_not_asked`);
  }
  if (observation.settled && !look.paused) return { do: "submit" };
  if (isEarly(look)) return { do: "nothing" };
  return commit(looked(look, null, nextLook(record, policy, now)));
}

/** The prompt was sent: what its turn ended with is written back. Null when there is none, or its turn still runs. */
export function afterFurtherTurn(look: Look): Decision | null {
  const { record, observation, policy, now } = look;
  const last = lastAttempt(record);
  if (!last || !isFurther(last.kind) || record.status !== "responded" || !observation.settled) return null;
  if (observation.state === "session_stale") return giveBack(look, `${last.kind}_not_answered`);
  const { ran, closingText } = observation.lastTurn;
  if (ran && closingText === null) return giveBack(look, `${last.kind}_not_answered`);
  if (ran) {
    return { do: "commit", events: [turnEnded(look)], answer: closingText, abort: false };
  }
  const graceOver = graceEnds(record, policy);
  if (now < graceOver) return lookAgain(look, null, graceOver, true);
  if (isEarly(look)) return { do: "nothing" };
  if (record.missedReads === 0) return lookAgain(look, null, now + policy.rereadMs, true);
  return sendAgain(look) ?? giveBack(look, `${last.kind}_not_answered`);
}

function giveBack(look: Look, diagnostic: string): Decision {
  return commit(turnEnded(look, [diagnostic]));
}

/** What is gone shows nothing any more; what was seen of it before stands. */
export function turnEnded({ observation, now }: Look, diagnostics: readonly string[] = []): DeliveryEvent {
  const observed = observation.state === "session_stale" ? null : factsOf(observation);
  return { type: "turn_ended", at: now, observed, diagnostics };
}

function further(kind: FurtherKind): NextAttempt {
  return { kind, spends: "further", freshSession: false };
}

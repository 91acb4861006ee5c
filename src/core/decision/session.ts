/**
 * Which session a prompt goes to, decided by a fresh read of the lane's session. A prompt is only sent to a session that
 * is idle. Pure.
 */
import type { Policy } from "../delivery/policy.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { quietAfter } from "../delivery/schedule.ts";
import { hasRunningTool } from "../proof/observe.ts";
import type { TranscriptSlice } from "../transcript/transcript.ts";

export type SessionDecision =
  | { do: "use" }
  | { do: "replace" }
  /** It is stuck: it is aborted, and replaced once a read shows that it stopped. */
  | { do: "abort_and_replace" }
  | { do: "wait"; reason: string }
  /** The prompt makes no sense anywhere else. */
  | { do: "give_up"; reason: string };

/** How long a busy session that no delivery holds has kept a message waiting without any activity. */
export type BlockedSession = Pick<DeliveryRecord, "quietMs" | "activityAt" | "lastObservedAt">;

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
  return !isFollowUp && (replace || isStuck) ? { do: "abort_and_replace" } : { do: "wait", reason: "session_busy" };
}

/** A session is watched from the first time that it kept a message waiting. */
export function watchBlocked(before: BlockedSession | undefined, slice: TranscriptSlice, now: number): BlockedSession {
  const known = before ?? { quietMs: 0, activityAt: null, lastObservedAt: null };
  const { lastActivityAt: activityAt } = slice;
  return { quietMs: quietAfter(known, activityAt, now), activityAt, lastObservedAt: now };
}

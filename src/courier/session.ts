/** The session that a prompt goes to: the lane's own, or a new one where `decideSession` says so. */

import { withTimeout } from "../clock.ts";
import { decideSession, watchBlocked } from "../core/decision/submission.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { TranscriptSlice } from "../core/transcript/transcript.ts";
import type { Runtime } from "../runtimes/port.ts";
import { readSlice } from "./read-transcript.ts";
import type { CourierDeps, StepContext } from "./step-context.ts";

export type OpenSession = { outcome: "open"; lane: Lane; slice: TranscriptSlice };
export type NoSession = { outcome: "not_now" | "impossible"; reason: string };

export async function openSession(
  record: DeliveryRecord,
  runtime: Runtime,
  step: StepContext,
): Promise<OpenSession | NoSession> {
  const { lane, policy, clock, sessions } = step;
  const { sessionId } = lane;
  if (sessionId === null) return newSession(runtime, step);
  const read = () => readSlice(sessionId, policy.readLimit, { ...step, runtime });
  const slice = await read();
  const blocked = watchBlocked(sessions.blocked.get(sessionId), slice, clock.now());
  const decision = decideSession({ record, slice, blocked, policy });
  const isBlocked = decision.do === "abort_and_replace" || (decision.do === "wait" && slice.asks.length === 0);
  if (isBlocked) sessions.blocked.set(sessionId, blocked);
  else sessions.blocked.delete(sessionId);
  switch (decision.do) {
    case "use":
      return { outcome: "open", lane, slice };
    case "replace":
      return newSession(runtime, step);
    case "abort_and_replace": {
      await withTimeout(step, policy.submitLimitMs, (signal) => runtime.abort(lane, sessionId, signal));
      const { status } = await read();
      if (status !== "idle" && status !== "stale") {
        return { outcome: "not_now", reason: "abort_did_not_stop_the_session" };
      }
      sessions.blocked.delete(sessionId);
      return newSession(runtime, step);
    }
    case "wait":
      return { outcome: "not_now", reason: decision.reason };
    case "give_up":
      return { outcome: "impossible", reason: decision.reason };
    default:
      return decision satisfies never;
  }
}

async function newSession(runtime: Runtime, step: StepContext): Promise<OpenSession> {
  const { lane, store, clock, policy, sessions } = step;
  const open = (signal: AbortSignal) => runtime.openSession(lane, signal);
  const sessionId = sessions.unstored.get(lane.id) ?? (await withTimeout(step, policy.submitLimitMs, open));
  sessions.unstored.set(lane.id, sessionId);
  const opened = await store.openSession(lane.id, sessionId, clock.now());
  sessions.unstored.delete(lane.id);
  return { outcome: "open", lane: opened, slice: { ...emptySlice, sessionId } };
}

/** Ends whatever runs in a session. That it ended is not believed before a read shows it. */
export async function abortTurn(lane: Lane, sessionId: string, deps: CourierDeps): Promise<void> {
  const { runtimes, policy, closing, onError } = deps;
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) return;
  try {
    await withTimeout(deps, policy.submitLimitMs, (signal) => runtime.abort(lane, sessionId, signal));
  } catch (error) {
    // The turn's end is owed until a read shows it, so the next reconcile aborts again.
    if (!closing.aborted) onError({ laneId: lane.id, error });
  }
}

const emptySlice: Omit<TranscriptSlice, "sessionId"> = {
  status: "idle",
  asks: [],
  rows: [],
  complete: true,
  lastActivityAt: null,
};

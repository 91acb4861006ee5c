/**
 * Creates a lane whose agent continues from what another lane's agent knows. The agent's program copies its session;
 * the old lane's history is copied with it, so that the new lane shows the same. Deliveries are not copied: messages
 * sent to a lane are answered there. Earlier usage does not count against the new lane's limits. Runs in the old
 * lane's queue.
 */

import type { Lane } from "../core/lane/lane.ts";
import { dayBefore } from "../core/lane/lane.ts";
import type { TranscriptRow, TranscriptSlice } from "../core/transcript/transcript.ts";
import { usageIn } from "../courier/read-transcript.ts";
import type { CourierDeps } from "../courier/step-context.ts";
import type { History } from "../events/fork-history.ts";
import type { Recorder } from "../events/recorder.ts";
import { AppError, messageOf } from "../platform/app-error.ts";
import { withTimeout } from "../platform/clock.ts";
import type { ForkedSession, Runtime } from "../runtimes/port.ts";
import { knownLane } from "../store/known.ts";
import type { NewLane, UsageEntry } from "../store/port.ts";
import { laneHeld, unavailable } from "./lane-session.ts";

export type ForkDeps = { recorder: Pick<Recorder, "history" | "fork"> };

type Copied = ForkedSession & { usage: readonly UsageEntry[] };

export async function forkLane(
  laneId: string,
  before: number | null,
  made: NewLane,
  deps: CourierDeps & ForkDeps,
): Promise<Lane> {
  const { store, recorder } = deps;
  const lane = await knownLane(store, laneId);
  const holder = await store.outstanding(laneId);
  if (holder) throw laneHeld(lane, holder);
  const history = await recorder.history(laneId, before);
  if (lane.sessionId === null) {
    return recorder.fork({ lane: made, sessionId: null, usage: [], history, renamed: new Map() });
  }
  return recorder.fork({ lane: made, history, ...(await copySession(lane, lane.sessionId, history, made, deps)) });
}

async function copySession(
  lane: Lane,
  sessionId: string,
  { before }: History,
  made: NewLane,
  deps: CourierDeps,
): Promise<Copied> {
  const { runtimes, policy, clock } = deps;
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) throw unavailable(lane, "it is not active");
  if (!runtime.fork) throw cannotFork(lane);
  try {
    const read = (signal: AbortSignal) => runtime.read(lane, sessionId, null, signal);
    const slice = await withTimeout(deps, policy.observeLimitMs, read);
    refuseUnrest(lane, slice);
    const target: Lane = { ...made, sessionId: null, generation: 0, pausedReason: null, teamHold: null, version: 1 };
    const from = { sessionId, before };
    const forked = await withTimeout(deps, policy.submitLimitMs, (signal) => forkBy(runtime, target, from, signal));
    const { renamed } = forked;
    const day = dayBefore(clock.now());
    const usage = usageIn({ ...slice, rows: rowsBefore(slice, before) }).map(({ messageId, tokens, cost }) => {
      return { messageId: renamed.get(messageId) ?? messageId, tokens, cost, day };
    });
    return { ...forked, usage };
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(lane, messageOf(error), error);
  }
}

async function forkBy(
  runtime: Runtime,
  lane: Lane,
  from: { sessionId: string; before: string | null },
  signal: AbortSignal,
): Promise<ForkedSession> {
  const forked = await runtime.fork?.(lane, from, signal);
  if (!forked) throw cannotFork(lane);
  return forked;
}

function rowsBefore({ rows }: TranscriptSlice, before: string | null): readonly TranscriptRow[] {
  const end = rows.findIndex(({ id }) => id === before);
  return end < 0 ? rows : rows.slice(0, end);
}

/** Somebody may be working in the session outside Waybill, and it may no longer exist. */
function refuseUnrest(lane: Lane, { status, elsewhere }: TranscriptSlice): void {
  if (status === "stale" || elsewhere === true) {
    throw new AppError({
      code: "not_possible",
      message: `The session of lane "${lane.id}" is ${status === "stale" ? "gone" : "in another directory"}, and its agent will start a new one.`,
      hint: "Create a new lane, and say in its first message what it needs to know.",
    });
  }
  if (status === "idle") return;
  throw new AppError({
    code: "lane_in_use",
    message: `The agent of lane "${lane.id}" is at work.`,
    hint: `Wait until its turn has ended, or stop it: \`waybill lanes abort ${lane.id}\`.`,
  });
}

function cannotFork(lane: Lane): AppError {
  return new AppError({
    code: "not_served",
    message: `The runtime "${lane.runtime}" cannot fork a session.`,
    hint: "Create a new session, and say in its first message what it needs to know.",
  });
}

/**
 * Gives a lane another session, as its next generation, from the next message on: one that somebody else started, or a
 * fresh one. Runs in the lane's queue.
 */

import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Lane } from "../core/lane/lane.ts";
import { dayBefore } from "../core/lane/lane.ts";
import { usageIn } from "../courier/read-transcript.ts";
import type { CourierDeps } from "../courier/step-context.ts";
import { AppError, messageOf } from "../platform/app-error.ts";
import { withTimeout } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import { knownLane } from "../store/known.ts";

/**
 * Nothing said in the session before counts as an answer, since none of it belongs to a prompt from Waybill, and its
 * earlier usage is not the lane's.
 */
export async function adoptSession(laneId: string, sessionId: string, deps: CourierDeps): Promise<Lane> {
  const { store, runtimes, clock } = deps;
  const lane = await knownLane(store, laneId);
  if (lane.sessionId === sessionId) return lane;
  // Its attempts belong to their session, and so would its retries.
  const holder = await store.outstanding(laneId);
  if (holder) throw laneHeld(lane, holder);
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) throw unavailable(lane, "it is not active");
  await takeOver(lane, sessionId, runtime, deps);
  return store.openSession(laneId, sessionId, clock.now());
}

async function takeOver(lane: Lane, sessionId: string, runtime: Runtime, deps: CourierDeps): Promise<void> {
  const { store, policy, clock } = deps;
  if (!runtime.checkAdoption) throw cannotAdopt(lane);
  try {
    await withTimeout(deps, policy.submitLimitMs, async (signal) => runtime.checkAdoption?.(lane, sessionId, signal));
    const slice = await withTimeout(deps, policy.observeLimitMs, (signal) =>
      runtime.read(lane, sessionId, null, signal),
    );
    // Usage counts on the day it was first seen; dated to the day before, it does not use up today's limits.
    const day = dayBefore(clock.now());
    const entries = usageIn(slice).map(({ messageId, tokens, cost }) => ({ messageId, tokens, cost, day }));
    if (entries.length > 0) await store.countUsage(lane.id, entries);
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(lane, messageOf(error), error);
  }
}

export function laneHeld(lane: Lane, holder: DeliveryRecord): AppError {
  return new AppError({
    code: "lane_in_use",
    message: `Lane "${lane.id}" works on message "${holder.messageId}" (${holder.status}).`,
    hint: `Wait until it has ended, or stop it: \`waybill lanes abort ${lane.id}\`.`,
  });
}

function cannotAdopt(lane: Lane): AppError {
  return new AppError({
    code: "not_possible",
    message: `The runtime "${lane.runtime}" only continues sessions that it opened itself.`,
  });
}

export function unavailable(lane: Lane, why: string, cause?: unknown): AppError {
  return new AppError({
    code: "runtime_unavailable",
    message: `The runtime "${lane.runtime}" cannot be asked about the session: ${why}.`,
    hint: "Nothing was changed. Try again in a moment.",
    retryable: true,
    cause,
  });
}

/**
 * In a fresh session the agent remembers nothing that was said before. `notSince`: nothing happens if the lane has got a session since then, so that a request can be repeated.
 */
export async function openNewSession(laneId: string, notSince: number | null, deps: CourierDeps): Promise<Lane> {
  const { store, runtimes, policy, clock } = deps;
  const lane = await knownLane(store, laneId);
  const newest = (await store.sessions(laneId)).at(-1);
  // A lane without a session gets a fresh one with its next message anyway.
  if (!newest || (notSince !== null && newest.openedAt >= notSince)) return lane;
  const holder = await store.outstanding(laneId);
  if (holder) throw laneHeld(lane, holder);
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) throw unavailable(lane, "it is not active");
  const open = (signal: AbortSignal) => runtime.openSession(lane, signal);
  try {
    const sessionId = await withTimeout(deps, policy.submitLimitMs, open);
    return await store.openSession(laneId, sessionId, clock.now());
  } catch (error) {
    throw error instanceof AppError ? error : unavailable(lane, messageOf(error), error);
  }
}

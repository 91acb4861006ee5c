/**
 * Gives a lane a fresh session: the agent remembers nothing that was said before. It becomes the lane's next
 * generation, from the next message on. Runs in the lane's queue.
 */

import type { Lane } from "../core/lane/lane.ts";
import type { CourierDeps } from "../courier/step-context.ts";
import { AppError, messageOf } from "../platform/app-error.ts";
import { withTimeout } from "../platform/clock.ts";
import { knownLane } from "../store/known.ts";
import { laneHeld, unavailable } from "./adoption.ts";

/** `notSince`: nothing happens if the lane has got a session since then, so that a request can be repeated. */
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

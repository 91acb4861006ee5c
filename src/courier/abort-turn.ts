/** Ends whatever runs in a session. Only a read of the transcript shows that it ended. */

import type { Lane } from "../core/lane/lane.ts";
import { withTimeout } from "../platform/clock.ts";
import type { CourierDeps } from "./step-context.ts";

export async function abortTurn(lane: Lane, sessionId: string, deps: CourierDeps): Promise<void> {
  const { store, runtimes, policy, closing, onError } = deps;
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) return;
  try {
    // The reason for the abort may not be durable yet; after a crash the abort would look like somebody else's stop.
    await store.settled();
    await withTimeout(deps, policy.submitLimitMs, (signal) => runtime.abort(lane, sessionId, signal));
  } catch (error) {
    // The turn's end is owed until a read shows it, so the next reconcile aborts again.
    if (!closing.aborted) onError({ laneId: lane.id, error });
  }
}

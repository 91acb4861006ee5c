/** Ends whatever runs in a session. That it did is not believed before a read shows it. */

import type { Lane } from "../core/lane/lane.ts";
import { withTimeout } from "../timeout.ts";
import type { SenderDeps } from "./sender.ts";

export async function abortTurn(lane: Lane, sessionId: string, deps: SenderDeps): Promise<void> {
  const { runtimes, policy, closing, onError } = deps;
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) return;
  try {
    await withTimeout(deps, policy.submitLimitMs, (signal) => runtime.abort(lane, sessionId, signal));
  } catch (error) {
    // The turn's end is owed until a read shows it, so the next look aborts again.
    if (!closing.aborted) onError({ laneId: lane.id, error });
  }
}

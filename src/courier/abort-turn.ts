/** Ends whatever runs in a session. That it did is not believed before a read shows it. */

import type { Lane } from "../core/lane/lane.ts";
import { withDeadline } from "../deadline.ts";
import type { SenderDeps } from "./sender.ts";

export async function abortTurn(lane: Lane, sessionId: string, deps: SenderDeps): Promise<void> {
  const { runtimes, policy, closing, onTrouble } = deps;
  const runtime = runtimes.get(lane.runtime);
  if (!runtime) return;
  try {
    await withDeadline(deps, policy.submitLimitMs, (signal) => runtime.abort(lane, sessionId, signal));
  } catch (error) {
    // The turn's end is owed until a read shows it, so the next look aborts again.
    if (!closing.aborted) onTrouble({ laneId: lane.id, error });
  }
}

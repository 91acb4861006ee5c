/** Finds where the agent of a lane gets Waybill's own tools, for as long as a prompt may wait for that. */
import type { Clock } from "../clock.ts";
import type { Notice } from "../core/lane/lane.ts";
import type { RuntimeContext, ToolServer } from "./descriptor.ts";

export type ToolServerSource = {
  clock: Clock;
  toolServer: RuntimeContext["toolServer"];
  onError: (error: unknown) => void;
};

/** How long a prompt waits for tools. */
const longestWaitMs = 3000;
/** How long a call of a tool may take: one of them waits up to 50 s for the answer of another agent. */
export const longestCallMs = 90_000;

/** Null where agents get no tools; `unknown` when it cannot be said in time. */
export async function findToolServer(
  laneId: string,
  { clock, toolServer, onError }: ToolServerSource,
): Promise<ToolServer | null | "unknown"> {
  try {
    const server = await notTooLong(clock, toolServer(laneId));
    return server === undefined ? "unknown" : server;
  } catch (error) {
    onError(error);
    return "unknown";
  }
}

/** Undefined when it takes longer than a prompt may wait. */
export function notTooLong<T>(clock: Clock, promise: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.at(clock.now() + longestWaitMs, () => resolve(undefined));
  });
  return Promise.race([promise, late]).finally(() => cancel());
}

export const serverNotStarted = "Waybill's tool server has not started.";

export function toolsUnavailable(problem: string): Notice {
  const message = `The agent of this lane does without Waybill's tools; the next message tries again. ${problem}`;
  return { code: "tools_unavailable", message };
}

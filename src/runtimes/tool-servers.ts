/** Finds the server of Waybill's own tools for a lane's agent, within the time that a prompt may wait for it. */
import type { Notice } from "../core/lane/lane.ts";
import type { Clock } from "../platform/clock.ts";
import type { RuntimeContext, ToolServer } from "./descriptor.ts";

export type ToolServerSource = {
  clock: Clock;
  toolServer: RuntimeContext["toolServer"];
  onError: (error: unknown) => void;
};

/** How long a prompt waits for tools. */
const longestWaitMs = 3000;
/** How long a tool call may take. One of the tools waits up to 50 s for another agent's answer. */
export const longestCallMs = 90_000;

/** Null if agents get no tools; `unknown` if the server is not known in time. */
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

/** Resolves to undefined if the promise takes longer than a prompt may wait. */
export function notTooLong<T>(clock: Clock, promise: Promise<T>): Promise<T | undefined> {
  let cancel = () => {};
  const late = new Promise<undefined>((resolve) => {
    cancel = clock.at(clock.now() + longestWaitMs, () => resolve(undefined));
  });
  return Promise.race([promise, late]).finally(() => cancel());
}

export const serverNotStarted = "Waybill's tool server has not started.";

export function toolsUnavailable(problem: string): Notice {
  const message = `Waybill's tools are unavailable to this lane's agent; the next message tries again. ${problem}`;
  return { code: "tools_unavailable", message };
}

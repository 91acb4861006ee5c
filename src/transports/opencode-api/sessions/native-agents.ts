/**
 * `build` and `plan`: the two agents that every OpenCode has, which its clients name to whatever server they talk to. A
 * lane whose program has them changes over; any other goes on with its own agent. Pure.
 */
import type { Lane } from "../../../core/lane/lane.ts";

const build = "build";
const plan = "plan";
/** The runtime whose program has them. */
const runtimeWithThem = "opencode";

export function isNativeAgent(name: string): boolean {
  return name === build || name === plan;
}

/** `notice` says why the lane does not work as the agent that was named. */
export type NativeAgentChoice = { agent: string | null; notice: string | null };

/** `build` is the agent that works where none is chosen. An agent of one's own is never changed for one of these. */
export function nativeAgent(name: string, { runtime, agent }: Pick<Lane, "runtime" | "agent">): NativeAgentChoice {
  if (agent !== null && !isNativeAgent(agent)) {
    return { agent, notice: `This session works as an agent of its own, so "${name}" was ignored.` };
  }
  if (name === build) return { agent: null, notice: null };
  if (runtime === runtimeWithThem) return { agent: name, notice: null };
  return { agent, notice: `The program of this session has no agent "${name}": its own works, and may change files.` };
}

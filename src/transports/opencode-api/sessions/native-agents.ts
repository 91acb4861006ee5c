/**
 * `build` and `plan`: the two agents that every OpenCode has, and which its clients send to any server. A lane whose
 * program has them switches; any other keeps its own agent. Pure.
 */
import type { Lane } from "../../../core/lane/lane.ts";

const build = "build";
const plan = "plan";
/** The runtime whose program has them. */
const runtimeWithThem = "opencode";

export function isNativeAgent(name: string): boolean {
  return name === build || name === plan;
}

/** `notice` explains why the lane does not use the named agent. */
export type NativeAgentChoice = { agent: string | null; notice: string | null };

/** `build` is OpenCode's default agent. A custom agent is never replaced by one of these. */
export function nativeAgent(name: string, { runtime, agent }: Pick<Lane, "runtime" | "agent">): NativeAgentChoice {
  if (agent !== null && !isNativeAgent(agent)) {
    return { agent, notice: `This session uses a custom agent, so "${name}" was ignored.` };
  }
  if (name === build) return { agent: null, notice: null };
  if (runtime === runtimeWithThem) return { agent: name, notice: null };
  return {
    agent,
    notice: `This session's program has no agent "${name}": its own agent is used, and it may change files.`,
  };
}

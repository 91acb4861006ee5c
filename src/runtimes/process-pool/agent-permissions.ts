/** What an agent's tools may do without asking, for programs that Waybill configures when it starts them. Pure. */
import { isInside } from "../../platform/inside.ts";

export type AgentPermissions = {
  /** A permission table is for OpenCode only, and means `safe` here. */
  policy: "safe" | "trusted";
  stateDirectories: readonly string[];
  otherDirectories: readonly string[];
};

/** Waybill's state and the directories of other lanes, unless one contains the other. */
export function deniedToAgent(directory: string, permissions: AgentPermissions): string[] {
  const { stateDirectories, otherDirectories } = permissions;
  const others = otherDirectories.filter((other) => !isInside(other, directory) && !isInside(directory, other));
  return [...new Set([...stateDirectories, ...others])];
}

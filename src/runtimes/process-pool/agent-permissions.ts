/** What the tools of an agent may do without asking, for programs that Waybill configures at their start. Pure. */
import { isInside } from "../../inside.ts";

export type AgentPermissions = {
  /** A table of permissions belongs to OpenCode, and means `safe` here. */
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

/**
 * The directories of lanes. A lane's own may have been removed since the lane was created, and some agent programs would
 * then work in another directory. Those of other lanes, and Waybill's own, are denied to its agent.
 */

import { access, constants, stat } from "node:fs/promises";
import { isInside } from "../platform/inside.ts";

/** Null if the directory can be used, otherwise a reason that names it. */
export async function directoryProblem(directory: string): Promise<string | null> {
  try {
    if (!(await stat(directory)).isDirectory()) return `directory_missing: ${directory} is not a directory`;
    await access(directory, constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    return isMissing ? `directory_missing: ${directory} does not exist` : `directory_missing: ${directory} (${code})`;
  }
}

/** What an agent's tools may do without asking, for programs that Waybill configures when it starts them. */
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

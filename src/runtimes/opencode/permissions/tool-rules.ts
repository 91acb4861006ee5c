/**
 * Which of Waybill's own tools the sessions of a lane may use. OpenCode keeps MCP servers by directory, for all
 * sessions in it. So each lane has its own entry, and its sessions are denied all others. A denied tool is not offered
 * to the model. Pure.
 */
import { createHash } from "node:crypto";
import type { PermissionRule } from "@opencode-ai/sdk/v2/types";
import { ownTools } from "../../descriptor.ts";
import { entryPattern } from "./permission-table.ts";

const prefix = entryPattern.slice(0, -1);
/** Providers reject a request that contains a tool with a longer name. */
const longestToolName = 64;
const longestEntry = longestToolName - Math.max(...ownTools.map((tool) => tool.length)) - "_".length;
const hashLength = 16;

/** The name of the lane's entry. The server prefixes the tools' names with it and an underscore. */
export function entryName(laneId: string): string {
  const name = prefix + laneId;
  if (name.length < longestEntry) return name;
  // One character longer than any unshortened name, so that the two never collide.
  const hash = createHash("sha256").update(laneId).digest("hex").slice(0, hashLength);
  return `${name.slice(0, longestEntry - hashLength - 1)}-${hash}`;
}

/**
 * These rules follow all others, so they override the policy and the agent's own definition. A subtask's session
 * inherits only the denial. Each tool is named, since a pattern for lane `a` would also match the tools of lane `a_b`.
 */
export function toolRules(laneId: string): PermissionRule[] {
  const own = ownTools.map((tool) => `${entryName(laneId)}_${tool}`);
  return [
    { permission: entryPattern, pattern: "*", action: "deny" },
    ...own.map((permission) => ({ permission, pattern: "*", action: "allow" as const })),
  ];
}

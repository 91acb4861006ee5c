/**
 * Which of Waybill's own tools the sessions of a lane may use. OpenCode keeps MCP servers by directory, for all sessions
 * in it, so each lane has an entry of its own, and its sessions are denied all others. A tool that is denied is not offered
 * to the model. Pure.
 */
import { createHash } from "node:crypto";
import type { PermissionRule } from "@opencode-ai/sdk/v2/types";
import { ownTools } from "../../../own-tools.ts";

const prefix = "waybill-";
/** Providers refuse a request with a tool whose name is longer. */
const longestToolName = 64;
const longestEntry = longestToolName - Math.max(...ownTools.map((tool) => tool.length)) - "_".length;
const hashLength = 16;

/** Every lane's entry. */
export const entryPattern = `${prefix}*`;

/** The name of the lane's entry; the server prefixes its tools with it and an underscore. */
export function entryName(laneId: string): string {
  const name = prefix + laneId;
  if (name.length < longestEntry) return name;
  // One character longer than any name that was not shortened.
  const hash = createHash("sha256").update(laneId).digest("hex").slice(0, hashLength);
  return `${name.slice(0, longestEntry - hashLength - 1)}-${hash}`;
}

/**
 * They follow all others, so neither a policy nor an agent's own definition matters. The session of a subtask inherits the
 * denial and not the rest. Each tool is named, since a pattern for lane `a` would also match the tools of lane `a_b`.
 */
export function toolRules(laneId: string): PermissionRule[] {
  const own = ownTools.map((tool) => `${entryName(laneId)}_${tool}`);
  return [
    { permission: entryPattern, pattern: "*", action: "deny" },
    ...own.map((permission) => ({ permission, pattern: "*", action: "allow" as const })),
  ];
}

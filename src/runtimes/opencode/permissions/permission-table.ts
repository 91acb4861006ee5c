/** Converts the permission policy to the table of a whole server. Every start loads this. Pure. */
import type { PermissionConfig, PermissionRule } from "@opencode-ai/sdk/v2/types";

/** OpenCode's own `permission` table, as its documentation describes it. */
export type PermissionTable = Exclude<PermissionConfig, string>;

export type OpencodePermissionPolicy = "safe" | "trusted" | PermissionTable;

/** Matches the entry of every lane's own tools (tool-rules.ts). */
export const entryPattern = "waybill-*";

export const shellAndNetwork = ["bash", "webfetch", "websearch"] as const;

/** For all sessions of a server that Waybill starts. Sessions without a lane may not use the tools of lanes. */
export function permissionTable(policy: OpencodePermissionPolicy): PermissionTable {
  return { ...policyTable(policy), [entryPattern]: "deny" };
}

function policyTable(policy: OpencodePermissionPolicy): PermissionTable {
  if (typeof policy === "object") return policy;
  const action = actionOf(policy);
  // Not `edit`: that would let OpenCode's planning agent edit files.
  const table = Object.fromEntries(shellAndNetwork.map((permission) => [permission, action]));
  return policy === "trusted" ? { ...table, read: "allow" } : table;
}

/** The value of OPENCODE_CONFIG_CONTENT, with its permissions replaced by the policy. */
export function withPermissions(content: string | undefined, policy: OpencodePermissionPolicy): string {
  const given: unknown = content?.trim() ? JSON.parse(content) : {};
  const config = given !== null && typeof given === "object" && !Array.isArray(given) ? given : {};
  return JSON.stringify({ ...config, permission: permissionTable(policy) });
}

export const actionOf = (policy: "safe" | "trusted"): PermissionRule["action"] => (policy === "safe" ? "ask" : "allow");

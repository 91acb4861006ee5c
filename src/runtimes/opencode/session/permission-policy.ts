/**
 * What the tools of an agent may do without a person: the policy, as the rules that OpenCode takes for one session and
 * as the table for the whole server. Pure.
 *
 * OpenCode asks the last rule that fits. The rules of a session come after those of the agent and of every
 * configuration file, so they hold whatever a project's own files say; a subtask's session only inherits denials and
 * what concerns directories outside, so the rest stands in the server's table as well, and a subagent whose own
 * definition is above that table has to be asked for (subtask-rules.ts).
 */
import { homedir } from "node:os";
import { relative, sep } from "node:path";
import type { PermissionConfig, PermissionRule } from "@opencode-ai/sdk/v2/types";
import type { Subagent } from "./subtask-rules.ts";
import { subtaskRules } from "./subtask-rules.ts";

export type { PermissionRule };

/** OpenCode's own `permission` table, as its documentation describes it. */
export type PermissionTable = Exclude<PermissionConfig, string>;

export type PermissionPolicy = "safe" | "trusted" | PermissionTable;

export type PermissionGround = {
  /** Null for a server that somebody else started: what may be asked there is theirs to say. */
  policy: PermissionPolicy | null;
  /** The lane's own. */
  directory: string;
  /** The root of the repository that OpenCode finds around it; `/` without one. Inside of it nothing is outside. */
  worktree: string;
  otherDirectories: readonly string[];
  /** Waybill's own, under each of its names. */
  stateDirectories: readonly string[];
  /** What the lane's agent is limited to by its own definition. */
  agentRules: readonly PermissionRule[];
  /** All that the server knows for the directory, those in the project's own files among them. */
  agents: readonly Subagent[];
};

type Action = PermissionRule["action"];

const shellAndNetwork = ["bash", "webfetch", "websearch"] as const;

/** For one session. Complete, so that it also replaces what an earlier policy gave the same session. */
export function permissionRules(ground: PermissionGround): PermissionRule[] {
  const rules = ownRules(ground);
  // Who is trusted is asked for nothing inside the directory, and a subtask may stay there.
  const own = ground.policy === "trusted" ? rules : [...rules, ...subtaskRules(rules, ground.agents)];
  return [...own, ...limitsOf(ground, new Set(own.map((one) => one.permission))), ...denials(ground)];
}

/** For all sessions of a server that Waybill starts. */
export function permissionTable(policy: PermissionPolicy): PermissionTable {
  if (typeof policy === "object") return policy;
  const action = actionOf(policy);
  // Not `edit`: it would undo what makes OpenCode's planning agent one that only plans.
  const table = Object.fromEntries(shellAndNetwork.map((permission) => [permission, action]));
  return policy === "trusted" ? { ...table, read: "allow" } : table;
}

/** The value of OPENCODE_CONFIG_CONTENT: what was there, with the policy in the place of its permissions. */
export function withPermissions(content: string | undefined, policy: PermissionPolicy): string {
  const given: unknown = content?.trim() ? JSON.parse(content) : {};
  const config = given !== null && typeof given === "object" && !Array.isArray(given) ? given : {};
  return JSON.stringify({ ...config, permission: permissionTable(policy) });
}

/** The tail that a session has already needs not be written again. */
export function endsWith(has: readonly PermissionRule[], rules: readonly PermissionRule[]): boolean {
  const tail = has.slice(-rules.length);
  return (
    rules.length === 0 ||
    (tail.length === rules.length && tail.every((one, place) => sameRule(one, rules[place] as PermissionRule)))
  );
}

function sameRule(a: PermissionRule, b: PermissionRule): boolean {
  return a.permission === b.permission && a.pattern === b.pattern && a.action === b.action;
}

function ownRules({ policy, directory, worktree }: PermissionGround): PermissionRule[] {
  if (policy === null) return [];
  if (typeof policy === "object") return rulesOf(policy);
  return [
    ...shellAndNetwork.map((permission) => rule(permission, "*", actionOf(policy))),
    ...(policy === "trusted" ? [rule("read", "*", "allow")] : []),
    rule("external_directory", "*", "ask"),
    // Where OpenCode keeps the long results of tools, for the agent to read on.
    rule("external_directory", "*/opencode/tool-output/*", "allow"),
    ...editsOutside(directory, worktree),
  ];
}

const actionOf = (policy: "safe" | "trusted"): Action => (policy === "safe" ? "ask" : "allow");

/** Only for a lane in a part of a repository: elsewhere an edit outside is one in an external directory. */
function editsOutside(directory: string, worktree: string): PermissionRule[] {
  const inside = relative(worktree, directory);
  if (worktree === "/" || inside === "" || !isInside(directory, worktree)) return [];
  // What lies outside of the repository, too, has been asked for as an external directory before.
  return [rule("edit", "*", "ask"), rule("edit", "../*", "allow"), rule("edit", `${literal(inside)}/*`, "allow")];
}

/** A definition that denies is never loosened: from its first denial on, its rules follow ours. */
function limitsOf({ agentRules, policy }: PermissionGround, permissions: ReadonlySet<string>): PermissionRule[] {
  return [...permissions].flatMap((permission) => {
    const rules = agentRules.filter((one) => one.permission === permission || one.permission === "*");
    const first = rules.findIndex((one) => one.action === "deny");
    if (first === -1) return [];
    return rules.slice(first).map(({ pattern, action }) => {
      const allowed = policy === "safe" ? "ask" : "allow";
      return rule(permission, pattern, action === "allow" ? allowed : action);
    });
  });
}

function denials({ directory, worktree, otherDirectories, stateDirectories }: PermissionGround): PermissionRule[] {
  const others = otherDirectories.filter((other) => !isInside(other, directory) && !isInside(directory, other));
  return [...new Set([...others, ...stateDirectories])].flatMap((place) => [
    rule("external_directory", literal(place), "deny"),
    rule("external_directory", `${literal(place)}/*`, "deny"),
    ...denialsInside(place, directory, worktree),
  ]);
}

/** What lies inside the lane's directory or its repository is not external. */
function denialsInside(place: string, directory: string, worktree: string): PermissionRule[] {
  const isNear = isInside(place, directory) || (worktree !== "/" && isInside(place, worktree));
  if (!isNear || isInside(directory, place)) return [];
  const way = literal(relative(worktree, place));
  return ["read", "edit"].flatMap((permission) => [
    rule(permission, way, "deny"),
    rule(permission, `${way}/*`, "deny"),
  ]);
}

/** As OpenCode itself reads a table. */
function rulesOf(table: PermissionTable): PermissionRule[] {
  return Object.entries(table).flatMap(([permission, given]) => {
    if (given === undefined) return [];
    const patterns: [string, Action][] = typeof given === "string" ? [["*", given]] : Object.entries(given);
    return patterns.map(([pattern, action]) => rule(permission, expanded(pattern), action));
  });
}

function expanded(pattern: string): string {
  return pattern.replace(/^(~|\$HOME)(?=\/|$)/, homedir());
}

/** Nothing can be escaped in a pattern. A star in a name becomes any one character, which is the nearest there is. */
function literal(path: string): string {
  return path.replaceAll("*", "?");
}

function isInside(path: string, place: string): boolean {
  const way = relative(place, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}

function rule(permission: string, pattern: string, action: Action): PermissionRule {
  return { permission, pattern, action };
}

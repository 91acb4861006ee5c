/**
 * Converts the permission policy to OpenCode's rules for one session. Pure.
 *
 * In OpenCode the last matching rule decides. The rules of a session come after those of the agent and of every
 * configuration file, so they override a project's own files. A subtask's session inherits only denials and rules about
 * external directories. The other rules are therefore also in the server's table (permission-table.ts), and a subagent with a definition that
 * overrides that table needs a permission to start.
 */

import { homedir } from "node:os";
import { relative, sep } from "node:path";
import type { PermissionRule } from "@opencode-ai/sdk/v2/types";
import type { OpencodePermissionPolicy, PermissionTable } from "./permission-table.ts";
import { actionOf, shellAndNetwork } from "./permission-table.ts";

export type { PermissionRule };

export type PermissionContext = {
  /** Null for an attached server: its owner decides what needs a permission. */
  policy: OpencodePermissionPolicy | null;
  /** The lane's own directory. */
  directory: string;
  /** The root of the repository that contains it; `/` without one. Nothing inside is external. */
  worktree: string;
  otherDirectories: readonly string[];
  /** Waybill's own state directory, by each of its paths. */
  stateDirectories: readonly string[];
  /** From the definition of the lane's agent. */
  agentRules: readonly PermissionRule[];
  /** All agents that the server knows for the directory, including those in the project's own files. */
  agents: readonly Subagent[];
};

type Action = PermissionRule["action"];

/** The rules for one session. They are complete, so that they also override the rules of an earlier policy. */
export function sessionPermissionRules(ground: PermissionContext): PermissionRule[] {
  const rules = ownRules(ground);
  // A trusted agent needs no permission inside the directory, and neither does a subtask.
  const own = ground.policy === "trusted" ? rules : [...rules, ...subagentRules(rules, ground.agents)];
  return [...own, ...limitsOf(ground, new Set(own.map((one) => one.permission))), ...denials(ground)];
}

/** Whether these are already the last rules of a session. */
export function endsWith(has: readonly PermissionRule[], rules: readonly PermissionRule[]): boolean {
  const tail = has.slice(has.length - rules.length);
  const key = ({ permission, pattern, action }: PermissionRule) => JSON.stringify([permission, pattern, action]);
  return has.length >= rules.length && tail.every((one, index) => key(one) === key(rules[index] as PermissionRule));
}

function ownRules({ policy, directory, worktree }: PermissionContext): PermissionRule[] {
  if (policy === null) return [];
  if (typeof policy === "object") return rulesOf(policy);
  return [
    ...shellAndNetwork.map((permission) => rule(permission, "*", actionOf(policy))),
    ...(policy === "trusted" ? [rule("read", "*", "allow")] : []),
    rule("external_directory", "*", "ask"),
    // OpenCode keeps long tool results there for the agent to read.
    rule("external_directory", "*/opencode/tool-output/*", "allow"),
    ...editsOutside(directory, worktree),
  ];
}

/** For a lane in a subdirectory of a repository. For other lanes, anything outside is an external directory. */
function editsOutside(directory: string, worktree: string): PermissionRule[] {
  const inside = relative(worktree, directory);
  if (worktree === "/" || inside === "" || !isInside(directory, worktree)) return [];
  // Anything outside the repository is an external directory, which has its own rule.
  return [rule("edit", "*", "ask"), rule("edit", "../*", "allow"), rule("edit", `${literal(inside)}/*`, "allow")];
}

/** Keeps the agent's denials: its rules, from its first denial on, are repeated after ours. */
function limitsOf({ agentRules, policy }: PermissionContext, permissions: ReadonlySet<string>): PermissionRule[] {
  return [...permissions].flatMap((permission) => {
    const rules = agentRules.filter((one) => one.permission === permission || one.permission === "*");
    const first = rules.findIndex((one) => one.action === "deny");
    if (first === -1) return [];
    const allowed = policy === "safe" ? "ask" : "allow";
    return rules
      .slice(first)
      .map(({ pattern, action }) => rule(permission, pattern, action === "allow" ? allowed : action));
  });
}

function denials({ directory, worktree, otherDirectories, stateDirectories }: PermissionContext): PermissionRule[] {
  const others = otherDirectories.filter((other) => !isInside(other, directory) && !isInside(directory, other));
  return [...new Set([...others, ...stateDirectories])].flatMap((denied) => [
    ...deny("external_directory", literal(denied)),
    ...denialsInside(denied, directory, worktree),
  ]);
}

/** Nothing inside the lane's directory or its repository is external. */
function denialsInside(denied: string, directory: string, worktree: string): PermissionRule[] {
  const isInternal = isInside(denied, directory) || (worktree !== "/" && isInside(denied, worktree));
  if (!isInternal || isInside(directory, denied)) return [];
  const path = literal(relative(worktree, denied));
  return [...deny("read", path), ...deny("edit", path)];
}

function deny(permission: string, path: string): PermissionRule[] {
  return [rule(permission, path, "deny"), rule(permission, `${path}/*`, "deny")];
}

/** Reads a table like OpenCode. */
function rulesOf(table: PermissionTable): PermissionRule[] {
  return Object.entries(table).flatMap(([permission, given]) => {
    if (given === undefined) return [];
    const patterns: [string, Action][] = typeof given === "string" ? [["*", given]] : Object.entries(given);
    const expand = (pattern: string) => pattern.replace(/^(~|\$HOME)(?=\/|$)/, homedir());
    return patterns.map(([pattern, action]) => rule(permission, expand(pattern), action));
  });
}

/** Patterns have no escapes. A star in a name becomes any one character, which is the closest match. */
function literal(path: string): string {
  return path.replaceAll("*", "?");
}

function isInside(path: string, directory: string): boolean {
  const relativePath = relative(directory, path);
  return relativePath !== ".." && !relativePath.startsWith(`..${sep}`);
}

function rule(permission: string, pattern: string, action: Action): PermissionRule {
  return { permission, pattern, action };
}

export type Subagent = { name: string; permission: readonly PermissionRule[] };

/**
 * Finds the subagents that a lane's agent may start only with a permission. A subtask's session inherits denials, but
 * not "ask" rules: there the subagent's own definition decides, which may come from any project's files. So if a
 * subagent could do something unasked that the session has to ask for, starting it needs a permission. `own` are the
 * rules of the policy for the lane's session.
 */
export function subagentRules(own: readonly PermissionRule[], agents: readonly Subagent[]): PermissionRule[] {
  // A rule for subtasks, or for everything, already covers subagents.
  const explicit = own.findLast(({ permission }) => permission === "task" || permission === "*");
  if (explicit && (explicit.permission === "task" || explicit.action !== "allow")) return [];
  // Rules about external directories are inherited.
  const asked = own.filter(({ action, permission }) => action === "ask" && permission !== "external_directory");
  const permissions = new Set(asked.map(({ permission }) => permission));
  return agents
    .filter((agent) => [...permissions].some((permission) => allows(agent, permission, own)))
    .map(({ name }) => ({ permission: "task", pattern: name, action: "ask" }));
}

/** Whether any rule after those of the policy, which are also in the server's table, allows something. */
function allows(agent: Subagent, permission: string, own: readonly PermissionRule[]): boolean {
  const last = own.findLast((rule) => rule.permission === permission);
  const after = agent.permission.findLastIndex(
    (rule) => rule.permission === permission && rule.pattern === last?.pattern && rule.action === last.action,
  );
  return agent.permission
    .slice(after + 1)
    .filter((rule) => rule.permission === permission || rule.permission === "*")
    .reduce((allowed, { pattern, action }) => action === "allow" || (allowed && pattern !== "*"), false);
}

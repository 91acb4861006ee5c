/**
 * Which subagents a lane's agent has to ask for. The session of a subtask inherits denials, but not what is to be asked:
 * there the subagent's own definition has the last word, and that may stand in any project's files. So where a subagent
 * would do without asking what the session has to ask for, beginning it is asked for instead. Pure.
 */
import type { PermissionRule } from "@opencode-ai/sdk/v2/types";

export type Subagent = { name: string; permission: readonly PermissionRule[] };

/** `own` are the rules that the policy amounts to in the lane's session. */
export function subtaskRules(own: readonly PermissionRule[], agents: readonly Subagent[]): PermissionRule[] {
  // Whoever wrote about subtasks, or about everything, meant these.
  const said = own.findLast(({ permission }) => permission === "task" || permission === "*");
  if (said && (said.permission === "task" || said.action !== "allow")) return [];
  // What concerns directories outside is inherited.
  const asked = own.filter(({ action, permission }) => action === "ask" && permission !== "external_directory");
  const permissions = new Set(asked.map(({ permission }) => permission));
  return agents
    .filter((agent) => [...permissions].some((permission) => allows(agent, permission, own)))
    .map(({ name }) => ({ permission: "task", pattern: name, action: "ask" }));
}

/** Whether anything is allowed by what comes after the policy's own rules, which stand in the server's table, too. */
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

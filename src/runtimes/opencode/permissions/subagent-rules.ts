/**
 * Finds the subagents that a lane's agent may start only with a permission. A subtask's session inherits denials, but
 * not "ask" rules: there the subagent's own definition decides, which may come from any project's files. So if a
 * subagent could do something unasked that the session has to ask for, starting it needs a permission. Pure.
 */
import type { PermissionRule } from "@opencode-ai/sdk/v2/types";

export type Subagent = { name: string; permission: readonly PermissionRule[] };

/** `own` are the rules of the policy for the lane's session. */
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

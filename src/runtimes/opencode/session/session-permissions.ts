/** Gives the sessions of a lane the rules of its permission policy, including sessions opened long ago. */
import type { Lane } from "../../../core/lane/lane.ts";
import type { OpencodeApi } from "../server/opencode-api.ts";
import type { PermissionContext, PermissionRule } from "./permission-policy.ts";
import { endsWith, sessionPermissionRules } from "./permission-policy.ts";

/** What is known outside of the runtime. Called before each prompt, since lanes come and go. */
export type PermissionsOf = (
  lane: Lane,
) => Promise<Pick<PermissionContext, "policy" | "otherDirectories" | "stateDirectories">>;

export type PermissionSource = {
  api: OpencodeApi;
  permissions: PermissionsOf | null;
  /** The rules about Waybill's own tools, which follow all others. Null where agents get none. */
  toolRules: ((laneId: string) => Promise<PermissionRule[]>) | null;
  /** False for an attached server, whose owner decides what to ask for. */
  ownServer: boolean;
};

export async function laneRules(lane: Lane, source: PermissionSource, signal: AbortSignal): Promise<PermissionRule[]> {
  const [policy, tools] = await Promise.all([policyRules(lane, source, signal), source.toolRules?.(lane.id)]);
  return [...policy, ...(tools ?? [])];
}

async function policyRules(
  lane: Lane,
  { api, permissions, ownServer }: PermissionSource,
  signal: AbortSignal,
): Promise<PermissionRule[]> {
  if (!permissions) return [];
  const { directory } = lane;
  const [known, worktree, agents] = await Promise.all([
    permissions(lane),
    api.worktree(directory, signal),
    api.agents(directory, signal),
  ]);
  const agent = agents.find((one) => one.name === (lane.agent ?? "build"));
  const policy = ownServer ? known.policy : null;
  return sessionPermissionRules({ ...known, policy, directory, worktree, agentRules: agent?.permission ?? [], agents });
}

/** Before a prompt: the policy and the lanes may have changed since the session was opened. */
export async function updateSessionRules(
  lane: Lane,
  sessionId: string,
  source: PermissionSource,
  signal: AbortSignal,
): Promise<void> {
  if (!source.permissions && !source.toolRules) return;
  const [rules, session] = await Promise.all([laneRules(lane, source, signal), source.api.session(sessionId, signal)]);
  if (session && !endsWith(session.permission ?? [], rules)) await source.api.addRules(sessionId, rules, signal);
}

/** Gives the sessions of a lane the rules of its permission policy, including sessions opened long ago. */
import type { Lane } from "../../../core/lane/lane.ts";
import type { OpencodeApi } from "../client/api.ts";
import type { PermissionContext, PermissionRule } from "./permission-policy.ts";
import { endsWith, sessionPermissionRules } from "./permission-policy.ts";

/** Facts from outside the runtime. Called before each prompt, since lanes come and go. */
export type PermissionsOf = (
  lane: Lane,
) => Promise<Pick<PermissionContext, "policy" | "otherDirectories" | "stateDirectories">>;

export type PermissionSource = {
  api: OpencodeApi;
  permissions: PermissionsOf | null;
  /** The rules for Waybill's own tools, which follow all others. Null if agents get no tools. */
  toolRules: ((laneId: string) => Promise<PermissionRule[]>) | null;
  /** False for an attached server: its owner decides what needs a permission. */
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

/** Called before a prompt, since the policy and the lanes may have changed after the session was opened. */
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

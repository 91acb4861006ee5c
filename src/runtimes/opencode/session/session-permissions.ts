/** Gives the sessions of a lane the rules that its permission policy amounts to, also those opened long ago. */
import type { Lane } from "../../../core/lane/lane.ts";
import type { OpencodeApi } from "../server/opencode-api.ts";
import type { PermissionGround, PermissionRule } from "./permission-policy.ts";
import { endsWith, permissionRules } from "./permission-policy.ts";

/** What is known outside of the runtime. Asked for before each prompt, since lanes come and go. */
export type PermissionsOf = (
  lane: Lane,
) => Promise<Pick<PermissionGround, "otherDirectories" | "stateDirectories"> & { policy: PermissionGround["policy"] }>;

export type Rulebook = {
  api: OpencodeApi;
  permissions: PermissionsOf | null;
  /** Whether Waybill started the server; what may be asked on another one is not ours to say. */
  ownServer: boolean;
};

export async function rulesFor(
  lane: Lane,
  { api, permissions, ownServer }: Rulebook,
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
  return permissionRules({
    ...known,
    policy: ownServer ? known.policy : null,
    directory,
    worktree,
    agentRules: agent?.permission ?? [],
    agents,
  });
}

/** Before a prompt: the policy may be another one since the session was opened, and so may the lanes. */
export async function keepRules(lane: Lane, sessionId: string, book: Rulebook, signal: AbortSignal): Promise<void> {
  if (!book.permissions) return;
  const [rules, session] = await Promise.all([rulesFor(lane, book, signal), book.api.session(sessionId, signal)]);
  if (session && !endsWith(session.permission ?? [], rules)) await book.api.addRules(sessionId, rules, signal);
}

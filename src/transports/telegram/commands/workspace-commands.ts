/** A topic's workspaces: `use repo PATH`, `where am i`, `list repos`, their slash commands, and `/sessions`. */
import { type AppError, notPossible, nullIfRefused } from "../../../platform/app-error.ts";
import type { LaneState } from "../../../service/service.ts";
import { duration } from "../outgoing/amounts.ts";
import type { Keyboard } from "../outgoing/chat-row.ts";
import type { Press, Pressed, TelegramContext } from "../telegram-context.ts";
import { both } from "../telegram-context.ts";
import { openWorkspace, shownWorkspace } from "../topics/recipient.ts";
import type { Binding, WorkspaceUse } from "../topics/topic.ts";
import { bindingName } from "../topics/topic.ts";
import { boundText } from "./bind-commands.ts";
import type { Command } from "./command.ts";
import { answer } from "./command.ts";
import { sessionText } from "./status-commands.ts";

export const workspace: Command = {
  name: "workspace",
  description: "Show or change the directory that this topic works in",
  changesTopic: true,
  async run(call, context) {
    if (call.args === "") return whereAmI.run(call, context);
    if (call.topic.boundTo) throw boundElsewhere(call.topic.boundTo);
    const { topics, clock } = context;
    const opened = await openWorkspace(call.topic, call.message.from.name, context, call.args);
    const known = call.topic.workspaces.some(({ path }) => path === opened.topic.activeWorkspace);
    const session = known ? "Its conversation continues." : "A new conversation starts there.";
    const words = `This topic now works in \`${opened.topic.activeWorkspace}\`. ${session}`;
    return both({ state: topics.keep(opened.topic, clock.now()) }, answer(call, words));
  },
};

export const whereAmI: Command = {
  name: "pwd",
  description: null,
  async run(call, context) {
    const { boundTo } = call.topic;
    if (boundTo) return answer(call, boundText(boundTo));
    return answer(call, `This topic works in \`${shownWorkspace(call.topic, context)}\`.`);
  },
};

export const repos: Command = {
  name: "repos",
  description: null,
  async run(call, context) {
    const active = shownWorkspace(call.topic, context);
    const paths = [...new Set([active, ...call.topic.workspaces.map(({ path }) => path)])].sort();
    const lines = paths.map((path) => `- \`${path}\`${path === active ? " (active)" : ""}`);
    return answer(
      call,
      `Workspaces of this topic:\n\n${lines.join("\n")}\n\n\`use repo PATH\` switches to another one.`,
    );
  },
};

function boundElsewhere(binding: Binding): AppError {
  const message = `This topic is bound to ${bindingName(binding)}, which works in its own directory.`;
  return notPossible(message, "Use /unbind first.");
}

/** Stale: its directory or lane no longer exists, so its conversation cannot continue. */
export type SessionRow = WorkspaceUse & { state: LaneState | null; isStale: boolean };

export const useAction = "use";

export const sessions: Command = {
  name: "sessions",
  description: "List this topic's workspaces and their conversations",
  async run(call, context) {
    const { topic } = call;
    const rows = await Promise.all(topic.workspaces.map((use) => rowOf(use, context)));
    const active = shownWorkspace(topic, context);
    return answer(call, sessionsText(rows, active, context.clock.now()), switchButtons(rows, active));
  },
};

async function rowOf(use: WorkspaceUse, { service }: TelegramContext): Promise<SessionRow> {
  const [state, workspace] = await Promise.all([
    nullIfRefused(service.lane(use.lane)),
    nullIfRefused(service.workspace(use.path)),
  ]);
  return { ...use, state, isStale: state === null || workspace === null };
}

export function sessionsText(rows: readonly SessionRow[], active: string, now: number): string {
  if (rows.length === 0) return `No conversation yet. The first message starts one in \`${active}\`.`;
  const lines = rows.map(({ path, lane, lastUsedAt, state, isStale }, index) => {
    const status = isStale ? "stale: its directory or lane no longer exists" : "active";
    const here = path === active ? ", in use" : "";
    const session = state === null ? "none" : sessionText(state.lane);
    const used = `last used ${duration(now - lastUsedAt)} ago`;
    return `${index + 1}. \`${path}\` (${status}${here})\n   Session ${session}, lane \`${lane}\`, ${used}`;
  });
  return `${lines.join("\n")}\n\n\`use repo PATH\` switches to another one. /new starts a new conversation.`;
}

/** Identifies a workspace by its lane, because the numbers in the list change. */
export function switchButtons(rows: readonly SessionRow[], active: string): Keyboard {
  const others = rows.filter(({ path, isStale }) => path !== active && !isStale);
  return others.slice(0, 8).map(({ path, lane }) => [{ text: shortPath(path), data: `${useAction}:${lane}` }]);
}

function shortPath(path: string): string {
  return path.split("/").slice(-2).join("/").slice(-60);
}

/** Handles the button of a workspace. `lane` follows `use:` in its data. */
export async function switchWorkspace(lane: string, press: Press, context: TelegramContext): Promise<Pressed> {
  const topic = context.topics.of(press.place, context.clock.now());
  const use = topic.workspaces.find((one) => one.lane === lane);
  if (!use) throw notPossible("This topic does not have that workspace.", "/sessions lists its workspaces.");
  const opened = await openWorkspace(topic, press.from.name, context, use.path);
  const state = context.topics.keep(opened.topic, context.clock.now());
  return { words: `This topic now works in ${use.path}.`, writes: { state } };
}

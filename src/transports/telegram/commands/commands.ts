/** Every chat command. The menu, the help text and the parser use this list. */
import { both } from "../telegram-context.ts";
import { bind, unbind } from "./bind-commands.ts";
import { agent, model } from "./choice-commands.ts";
import type { Command } from "./command.ts";
import { answer } from "./command.ts";
import { diff, files } from "./file-commands.ts";
import { newConversation } from "./new-command.ts";
import { queue, withdraw } from "./queue-commands.ts";
import { restart } from "./restart-command.ts";
import { cost, status, version } from "./status-commands.ts";
import { pause, resume, stop } from "./stop-commands.ts";
import { why } from "./why-command.ts";
import { repos, sessions, whereAmI, workspace } from "./workspace-commands.ts";

/** Answered only as the first message of a chat, because clients send it again later. */
const start: Command = {
  name: "start",
  description: null,
  changesTopic: true,
  async run(call, { topics, clock, settings }) {
    const { place } = call.message;
    if (topics.isKnownChat(place.chat)) return {};
    const words = [
      "Waybill passes what you write here on to a coding agent, and its answer back to you.",
      `This chat works in \`${settings.defaultWorkspace}\`. \`use repo PATH\` switches to another directory.`,
      "/help lists the commands.",
    ];
    return both({ state: topics.keep(call.topic, clock.now()) }, answer(call, words.join("\n\n")));
  },
};

const help: Command = {
  name: "help",
  description: "List the commands",
  async run(call) {
    const lines = commandMenu().map(({ command, description }) => `/${command}: ${description}`);
    const words = "`use repo PATH`, `where am i`, `list repos` and `restart` also work, without a slash.";
    return answer(call, `Everything you write goes to the agent, except:\n\n${lines.join("\n")}\n\n${words}`);
  },
};

const commands: readonly Command[] = [
  ...[start, help],
  ...[newConversation, sessions, workspace, whereAmI, repos, model, agent],
  ...[status, why, queue, withdraw, stop, pause, resume],
  ...[diff, files, cost, version],
  ...[bind, unbind, restart],
];

export const commandNames: ReadonlySet<string> = new Set(commands.map(({ name }) => name));

export function commandCalled(name: string): Command | null {
  return commands.find((command) => command.name === name) ?? null;
}

/** In the form that the Bot API expects. */
export function commandMenu(): { command: string; description: string }[] {
  return commands.flatMap(({ name, description }) => (description === null ? [] : [{ command: name, description }]));
}

/** Every chat command. The menu, the help text and the parser use this list. */
import { bind, unbind } from "./bind-commands.ts";
import { agent, model } from "./choice-commands.ts";
import type { Command } from "./command.ts";
import { diff } from "./diff-command.ts";
import { files } from "./files-command.ts";
import { newConversation } from "./new-command.ts";
import { pause, resume } from "./pause-commands.ts";
import { queue, withdraw } from "./queue-commands.ts";
import { restart } from "./restart-command.ts";
import { sessions } from "./sessions-command.ts";
import { help, start } from "./start-help.ts";
import { cost, status, version } from "./status-commands.ts";
import { stop } from "./stop-command.ts";
import { why } from "./why-command.ts";
import { repos, whereAmI, workspace } from "./workspace-commands.ts";

export const commands: readonly Command[] = [
  start,
  help(() => commands),
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

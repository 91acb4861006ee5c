/** Every command of the chat. The menu, the help text and what is recognised are made from this list. */
import type { Command } from "./command.ts";
import { restart } from "./restart-command.ts";
import { help, start } from "./start-help.ts";
import { repos, whereAmI, workspace } from "./workspace-commands.ts";

export const commands: readonly Command[] = [start, help(() => commands), workspace, whereAmI, repos, restart];

export const commandNames: ReadonlySet<string> = new Set(commands.map(({ name }) => name));

export function commandCalled(name: string): Command | null {
  return commands.find((command) => command.name === name) ?? null;
}

/** As the Bot API takes it. */
export function commandMenu(): { command: string; description: string }[] {
  return commands.flatMap(({ name, description }) => (description === null ? [] : [{ command: name, description }]));
}

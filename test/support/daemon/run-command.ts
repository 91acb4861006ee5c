/** Runs a CLI command against a daemon, and captures its output. */
import type { Command, CommandContext } from "../../../src/cli/command.ts";
import { parseInput } from "../../../src/cli/command.ts";

export type CommandResult = { code: number; out: string[]; notes: string[] };

export async function runCommand(
  command: Command,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; interrupted?: AbortSignal; onNote?: (line: string) => void },
): Promise<CommandResult> {
  const input = parseInput(command, args);
  const out: string[] = [];
  const notes: string[] = [];
  const context: CommandContext = {
    env: options.env,
    json: input.flag("json"),
    print: (line) => void out.push(...line.split("\n")),
    printNote: (line) => {
      notes.push(line);
      options.onNote?.(line);
    },
    paint: (_style, text) => text,
    interrupted: options.interrupted ?? new AbortController().signal,
    loadCommands: async () => [],
  };
  const code = await command.run(input, context);
  return { code, out, notes };
}

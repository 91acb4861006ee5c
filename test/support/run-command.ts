/** Runs a command of the command line against a daemon, and keeps what it prints. */
import type { Command, CommandContext } from "../../src/cli/command.ts";
import { parseInput } from "../../src/cli/command.ts";

export type Ran = { code: number; out: string[]; remarks: string[] };

export async function runCommand(
  command: Command,
  args: readonly string[],
  options: { env: NodeJS.ProcessEnv; interrupted?: AbortSignal; onRemark?: (line: string) => void },
): Promise<Ran> {
  const input = parseInput(command, args);
  const out: string[] = [];
  const remarks: string[] = [];
  const context: CommandContext = {
    env: options.env,
    json: input.flag("json"),
    print: (line) => void out.push(...line.split("\n")),
    remark: (line) => {
      remarks.push(line);
      options.onRemark?.(line);
    },
    paint: (_style, text) => text,
    interrupted: options.interrupted ?? new AbortController().signal,
  };
  const code = await command.run(input, context);
  return { code, out, remarks };
}

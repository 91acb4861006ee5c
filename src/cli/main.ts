/** The `waybill` program: picks the command to run, and turns errors into messages and exit codes. */
import { version } from "../daemon/version.ts";
import { nearest } from "../platform/nearest.ts";
import type { Command } from "./command.ts";
import { parseInput } from "./command.ts";
import { commandNames, loadCommand, loadCommands } from "./commands.ts";
import { errorText, exitCodeOfError, isExpectedError, usageError } from "./errors.ts";
import { commandHelp, programHelp } from "./help.ts";
import { paintFor } from "./output/terminal.ts";

export async function main(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  try {
    return await run(args, env);
  } catch (error) {
    if (!isExpectedError(error)) throw error;
    const format = { json: args.includes("--json"), paint: paintFor(process.stderr, env) };
    process.stderr.write(`${errorText(error, format)}\n`);
    return exitCodeOfError(error);
  }
}

async function run(given: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  // `waybill help lanes` means the same as `waybill lanes --help`.
  const args = given[0] === "help" ? [...given.slice(1), "--help"] : given;
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  if (args[0] === "--version") {
    print(version());
    return 0;
  }
  // `waybill --json lanes` means the same as `waybill lanes --json`.
  const index = args.findIndex((arg) => !arg.startsWith("-"));
  const command = index === -1 ? null : await namedCommand(args[index] ?? "");
  handleClosedOutput(command?.ignoresClosedOutput ?? false);
  const input = parseInput(command, command ? args.toSpliced(index, 1) : args);
  if (!command || input.flag("help")) {
    print(command ? commandHelp(command) : programHelp(await loadCommands()));
    return command || input.flag("help") ? 0 : 2;
  }
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    return await command.run(input, {
      env,
      json: input.flag("json"),
      print,
      printNote: (line) => void process.stderr.write(`${line}\n`),
      paint: paintFor(process.stdout, env),
      interrupted: interrupted.signal,
      loadCommands,
    });
  } finally {
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
  }
}

/** A closed pipe (`| head`) or terminal is not an error of the command. */
function handleClosedOutput(keepRunning: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
      if (!keepRunning) process.exit(0);
    });
  }
}

async function namedCommand(name: string): Promise<Command> {
  const command = await loadCommand(name);
  if (command) return command;
  const similar = nearest(name, commandNames);
  throw usageError(`unknown command "${name}"`, undefined, similar && `waybill ${similar}`);
}

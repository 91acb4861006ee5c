/** The `waybill` command: picks what to run, and turns errors into words and exit codes. */

import { version } from "../daemon/version.ts";
import { nearest } from "../nearest.ts";
import type { Command, CommandContext } from "./command.ts";
import { parseInput } from "./command.ts";
import { completion } from "./commands/completion.ts";
import { clientCommands } from "./commands.ts";
import { exitCodeOfError } from "./exit-codes.ts";
import { failureText, isFailure } from "./failure.ts";
import { paintFor } from "./output/terminal.ts";
import { usageError } from "./usage-error.ts";

/** In the order in which they are listed. What a command needs is loaded when it is run: most need little. */
const commands: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["up", async () => (await import("./commands/up.ts")).upCommand],
  ["worker", async () => (await import("./commands/worker.ts")).workerCommand],
  ["init", async () => (await import("./commands/init.ts")).init],
  ["doctor", async () => (await import("./commands/doctor.ts")).doctor],
  ...clientCommands.map((command): [string, () => Promise<Command>] => [command.name, async () => command]),
  ["attach", async () => (await import("./commands/attach.ts")).attach],
  ["store", async () => (await import("./commands/store.ts")).store],
  ["completion", async () => completion(allCommands)],
]);

function allCommands(): Promise<Command[]> {
  return Promise.all([...commands.values()].map((load) => load()));
}

async function help(): Promise<string> {
  const listed = (await allCommands()).filter((command) => !command.hidden);
  const width = Math.max(...listed.map((command) => command.name.length));
  return `Waybill delivers messages to coding agents and proves that they acted on them.

Usage: waybill COMMAND [--json]

Commands:
${listed.map((command) => `  ${command.name.padEnd(width)}    ${command.summary}`).join("\n")}

  waybill COMMAND --help    how a command is used
  waybill --version         the version of this program

Environment:
  WAYBILL_CONFIG      the configuration (default: $XDG_CONFIG_HOME/waybill/config.json or ~/.config/waybill/config.json)
  WAYBILL_HOME        where the state is kept (default: $XDG_STATE_HOME/waybill or ~/.local/state/waybill)
  WAYBILL_URL, WAYBILL_TOKEN
                      another daemon than the one whose state is in WAYBILL_HOME
  WAYBILL_WATCHDOG=0  nothing that may have arrived is sent again by itself
  NO_COLOR            no colours`;
}

export async function main(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  try {
    return await run(args, env);
  } catch (error) {
    if (!isFailure(error)) throw error;
    const wording = { json: args.includes("--json"), paint: paintFor(process.stderr, env) };
    process.stderr.write(`${failureText(error, wording)}\n`);
    return exitCodeOfError(error);
  }
}

/** Whoever reads has had enough (`| head`), or their terminal is gone; that is no error of ours. */
function mindReaders(goOn: boolean): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
      if (!goOn) process.exit(0);
    });
  }
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  if (args[0] === "--version") {
    print(version());
    return 0;
  }
  // `waybill --json lanes` is as good as `waybill lanes --json`.
  const place = args.findIndex((arg) => !arg.startsWith("-"));
  const command = place === -1 ? null : await commandNamed(args[place] ?? "");
  mindReaders(command?.outlivesReaders ?? false);
  const input = parseInput(command, command ? args.toSpliced(place, 1) : args);
  if (!command || input.flag("help")) {
    print(command?.help ?? (await help()));
    return command || input.flag("help") ? 0 : 2;
  }
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  const context: CommandContext = {
    env,
    json: input.flag("json"),
    print,
    remark: (line) => void process.stderr.write(`${line}\n`),
    paint: paintFor(process.stdout, env),
    interrupted: interrupted.signal,
  };
  try {
    return await command.run(input, context);
  } finally {
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
  }
}

function commandNamed(name: string): Promise<Command> {
  const load = commands.get(name);
  if (load) return load();
  const meant = nearest(name, [...commands.keys()]);
  throw usageError(`there is no command "${name}"`, undefined, undefined, meant && `waybill ${meant}`);
}

/** The `waybill` command: picks what to run, and turns errors into words and exit codes. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { AppError, messageOf } from "../app-error.ts";
import { demoCommand, demoHelp } from "./demo.ts";
import { storePath } from "./home.ts";
import { storeCommand, storeHelp } from "./store-command.ts";
import type { Paint } from "./terminal.ts";
import { paintFor } from "./terminal.ts";
import { usageError } from "./usage-error.ts";

export type CommandContext = {
  env: NodeJS.ProcessEnv;
  storePath: string;
  json: boolean;
  print: (line: string) => void;
  paint: Paint;
  /** Aborted by Ctrl-C and by a polite kill. */
  interrupted: AbortSignal;
};

type Command = { help: string; run: (args: readonly string[], context: CommandContext) => Promise<number> };

const commands: Record<string, Command> = {
  demo: { help: demoHelp, run: demoCommand },
  store: { help: storeHelp, run: storeCommand },
};

const help = `Waybill delivers messages to coding agents and proves that they acted on them.

Usage: waybill COMMAND [--json]

Commands:
  demo     watch a few messages on their way to a scripted agent
  store    back up, restore or check the store

  waybill COMMAND --help    how a command is used
  waybill --version         the version of this program

Environment:
  WAYBILL_HOME        where the state is kept (default: $XDG_STATE_HOME/waybill or ~/.local/state/waybill)
  WAYBILL_WATCHDOG=0  nothing that may have arrived is sent again by itself
  NO_COLOR            no colours`;

export async function main(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  // Whoever reads has had enough (`| head`); that is no error of ours.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
    process.exit(0);
  });
  try {
    return await run(args, env, print);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const paint = paintFor(process.stderr, env);
    process.stderr.write(`${paint("red", "waybill:")} ${error.message}\n${error.hint ? `${error.hint}\n` : ""}`);
    return error.code === "usage" ? 2 : 1;
  }
}

async function run(args: readonly string[], env: NodeJS.ProcessEnv, print: (line: string) => void): Promise<number> {
  const { values, positionals } = parse(args);
  const [name, ...rest] = positionals;
  if (values.version) {
    print(version());
    return 0;
  }
  const command = name === undefined ? undefined : Object.hasOwn(commands, name) ? commands[name] : unknown(name);
  if (!command || values.help) {
    print(command?.help ?? help);
    return command || values.help ? 0 : 2;
  }
  const interrupted = new AbortController();
  const stop = () => interrupted.abort();
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    return await command.run(rest, {
      env,
      storePath: storePath(env),
      json: values.json,
      print,
      paint: paintFor(process.stdout, env),
      interrupted: interrupted.signal,
    });
  } finally {
    process.removeListener("SIGINT", stop).removeListener("SIGTERM", stop);
  }
}

function parse(args: readonly string[]) {
  const flag = { type: "boolean", default: false } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { help: { ...flag, short: "h" }, version: flag, json: flag },
    });
  } catch (error) {
    throw usageError(messageOf(error).split(". ")[0] ?? "not understood", undefined, error);
  }
}

function unknown(name: string): never {
  throw usageError(`there is no command "${name}"`);
}

function version(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

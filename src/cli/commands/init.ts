/** `waybill init`: a few questions, or flags, and the configuration that follows from them. */
import { loadConfig } from "../../daemon/config/config.ts";
import { configPath, parseConfigFile } from "../../daemon/config/read-file.ts";
import { defaultConfigPath } from "../../home.ts";
import { runtimeKinds } from "../../runtimes/kinds.ts";
import { shellQuote } from "../../shell-quote.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import type { Answers } from "../init/first-config.ts";
import {
  checkedDirectory,
  checkedLane,
  checkedPort,
  checkedRuntime,
  configText,
  defaultPort,
  proposedLane,
  proposedRuntime,
} from "../init/first-config.ts";
import { ask } from "../init/questions.ts";
import { refuseExisting, writeConfig } from "../init/write-config.ts";

const help = `Usage: waybill init [options]

Writes a first configuration. On a terminal it asks for what the options leave open; without one, or with --yes, it
takes the defaults.

Options:
  --runtime NAME      ${runtimeKinds.join(", ")}
                      (default: the first of them that is installed)
  --directory DIR     where the agent of the first lane works (default: the working directory)
  --lane ID           the first lane's id (default: the name of that directory)
  --port PORT         where the daemon listens (default: ${defaultPort})
  --config FILE       the file to write (default: $WAYBILL_CONFIG, else $XDG_CONFIG_HOME/waybill/config.json)
  --force             replace a configuration that is there
  --yes               ask nothing
  --json              ask nothing, and print what was written as one line of JSON

Exit codes: 0 written, 1 not written, 2 the command was not understood, 130 interrupted.

Examples:
  waybill init
  waybill init --yes --runtime stub --directory ~/src/api --lane api`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;

export const init: Command = {
  name: "init",
  summary: "write a first configuration",
  help,
  options: { runtime: text, directory: text, lane: text, port: text, config: text, force: flag, yes: flag },
  async run(input, context) {
    const named = input.value("config");
    const env = named === undefined ? context.env : { ...context.env, WAYBILL_CONFIG: named };
    const path = configPath(env);
    const replace = input.flag("force");
    if (!replace) refuseExisting(path);
    const answers = await answersFor(input, { ...context, env });
    if (answers === null) {
      context.printNote("Nothing was written.");
      return 130;
    }
    const content = configText(answers, env);
    // What is written is what a start would take.
    loadConfig(env, { path, content: parseConfigFile(path, content) });
    writeConfig(path, content, { replace });
    report(path, answers, { ...context, env });
    return 0;
  },
};

async function answersFor(input: CommandInput, context: CommandContext): Promise<Answers | null> {
  const { env, interrupted, json } = context;
  const asks = !json && !input.flag("yes") && process.stdin.isTTY && process.stdout.isTTY;
  const option = (name: keyof Answers, proposed: string) => {
    const given = input.value(name);
    return given === undefined ? { proposed } : { given, proposed };
  };
  const runtime = option("runtime", proposedRuntime(env));
  const directory = option("directory", process.cwd());
  const lane = option("lane", "");
  const port = option("port", String(defaultPort));
  if (asks) {
    const terminal = { input: process.stdin, output: process.stdout, interrupted };
    return ask({ runtime, directory, lane, port }, terminal, env);
  }
  const workspace = checkedDirectory(directory.given ?? directory.proposed, env);
  return {
    runtime: checkedRuntime(runtime.given ?? runtime.proposed),
    directory: workspace,
    lane: checkedLane(lane.given ?? proposedLane(workspace)),
    port: checkedPort(port.given ?? port.proposed),
  };
}

function report(path: string, answers: Answers, { env, json, print, paint }: CommandContext): void {
  if (json) {
    print(JSON.stringify({ config: path, ...answers }));
    return;
  }
  const prefix = path === defaultConfigPath(env) ? "" : `WAYBILL_CONFIG=${shellQuote(path)} `;
  print(`Wrote ${path}: lane ${answers.lane}, where ${answers.runtime} works in ${answers.directory}.`);
  print(
    `Next: ${paint("bold", `${prefix}waybill doctor`)} checks it, and ${paint("bold", `${prefix}waybill up`)} starts it.`,
  );
}

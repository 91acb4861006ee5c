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
import type { TelegramAnswers } from "../init/telegram-answers.ts";
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
  --telegram-token-env NAME
                      the variable that holds the token of a Telegram bot; it is checked, and written to the file
  --telegram-user ID  a person who may use the bot, by numeric id; may be repeated
  --telegram-chat ID  a group in which they may use it; may be repeated
  --config FILE       the file to write (default: $WAYBILL_CONFIG, else $XDG_CONFIG_HOME/waybill/config.json)
  --force             replace a configuration that is there
  --yes               ask nothing
  --json              ask nothing, and print what was written as one line of JSON

Exit codes: 0 written, 1 not written, 2 the command was not understood, 130 interrupted.

Examples:
  waybill init
  waybill init --yes --runtime stub --directory ~/src/api --lane api
  waybill init --yes --telegram-token-env BOT_TOKEN --telegram-user 12345678`;

const text = { type: "string" } as const;
const flag = { type: "boolean" } as const;
const several = { type: "string", multiple: true } as const;

export const init: Command = {
  name: "init",
  summary: "write a first configuration",
  help,
  options: {
    ...{ runtime: text, directory: text, lane: text, port: text, config: text, force: flag, yes: flag },
    ...{ "telegram-token-env": text, "telegram-user": several, "telegram-chat": several },
  },
  async run(input, context) {
    const named = input.value("config");
    const env = named === undefined ? context.env : { ...context.env, WAYBILL_CONFIG: named };
    const path = configPath(env);
    const replace = input.flag("force");
    if (!replace) refuseExisting(path);
    const answers = await answersFor(input, { ...context, env });
    const telegram = answers === null ? "aborted" : await telegramFor(input, { ...context, env });
    if (answers === null || telegram === "aborted") {
      context.printNote("Nothing was written.");
      return 130;
    }
    const content = configText(answers, telegram, env);
    // What is written is what a start would take.
    loadConfig(env, { path, content: parseConfigFile(path, content) });
    writeConfig(path, content, { replace });
    report(path, { answers, telegram }, { ...context, env });
    return 0;
  },
};

async function answersFor(input: CommandInput, context: CommandContext): Promise<Answers | null> {
  const { env, interrupted } = context;
  const option = (name: keyof Answers, proposed: string) => {
    const given = input.value(name);
    return given === undefined ? { proposed } : { given, proposed };
  };
  const runtime = option("runtime", proposedRuntime(env));
  const directory = option("directory", process.cwd());
  const lane = option("lane", "");
  const port = option("port", String(defaultPort));
  if (asks(input, context)) {
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

function asks(input: CommandInput, { json }: CommandContext): boolean {
  return !json && !input.flag("yes") && process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** What talks to Telegram is loaded only where a bot may be set up. */
async function telegramFor(input: CommandInput, context: CommandContext): Promise<TelegramAnswers | null | "aborted"> {
  const { env, interrupted, printNote } = context;
  const names = ["telegram-token-env", "telegram-user", "telegram-chat"];
  const isGiven = names.some((name) => input.value(name) !== undefined);
  if (isGiven) {
    const { telegramOptions } = await import("../init/telegram-answers.ts");
    return telegramOptions(input, env, { interrupted, note: printNote });
  }
  if (!asks(input, context)) return null;
  const { askTelegram } = await import("../init/telegram-questions.ts");
  return askTelegram({ input: process.stdin, output: process.stdout, interrupted }, env);
}

type Written = { answers: Answers; telegram: TelegramAnswers | null };

function report(path: string, { answers, telegram }: Written, { env, json, print, paint }: CommandContext): void {
  if (json) {
    const { token: _, ...shown } = telegram ?? { token: null };
    print(JSON.stringify({ config: path, ...answers, ...(telegram && { telegram: shown }) }));
    return;
  }
  const prefix = path === defaultConfigPath(env) ? "" : `WAYBILL_CONFIG=${shellQuote(path)} `;
  print(`Wrote ${path}: lane ${answers.lane}, where ${answers.runtime} works in ${answers.directory}.`);
  if (telegram?.token) print("The bot token is in that file, which only you can read.");
  else if (telegram) print("The bot token is not written: the daemon takes it from TELEGRAM_BOT_TOKEN.");
  print(
    `Next: ${paint("bold", `${prefix}waybill doctor`)} checks it, and ${paint("bold", `${prefix}waybill up`)} starts it.`,
  );
}

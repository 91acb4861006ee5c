/** `waybill init`: writes a first configuration from a few questions or from options. */
import { loadConfig } from "../../daemon/config/config.ts";
import { configPath, parseConfigFile } from "../../daemon/config/read-file.ts";
import { defaultConfigPath } from "../../platform/home.ts";
import { shellQuote } from "../../platform/shell-quote.ts";
import { descriptorOf } from "../../runtimes/descriptor.ts";
import { runtimeDescriptors, runtimeKinds } from "../../runtimes/registry.ts";
import type { Command, CommandContext, CommandInput } from "../command.ts";
import { isDaemonRunning } from "../connect.ts";
import { exitCodes } from "../errors.ts";
import type { Answers, FoundAgent } from "../init/first-config.ts";
import {
  agentLines,
  checkedDirectory,
  checkedLane,
  checkedPort,
  checkedRuntime,
  configText,
  defaultPort,
  findAgents,
  noAgentFound,
  proposedLane,
  proposedRuntime,
  refuseExisting,
  writeConfig,
} from "../init/first-config.ts";
import { ask } from "../init/questions.ts";
import type { TelegramAnswers } from "../init/telegram-answers.ts";

const help = `Usage: waybill init [options]

Writes a first configuration. On a terminal it asks which of the installed agents to use, in which directory, and for
the token of a Telegram bot if you have one. Then it sends the agent a test message and shows the proof of its answer.
Without a terminal, or with --yes, it uses the defaults and sends nothing.

Options:
  --runtime NAME      ${runtimeKinds.join(", ")}
                      (default: an installed one, preferably one that is logged in)
  --directory DIR     where the first lane's agent works (default: the current directory)
  --lane ID           the first lane's id (default: the name of its directory)
  --port PORT         the port that the daemon listens on (default: ${defaultPort})
  --telegram-token-env NAME
                      the environment variable that holds a Telegram bot token; the token is checked and
                      written to the file
  --telegram-user ID  the numeric id of a person who may use the bot; may be repeated
  --telegram-chat ID  the numeric id of a group in which they may use it; may be repeated
  --config FILE       the file to write (default: $WAYBILL_CONFIG, else $XDG_CONFIG_HOME/waybill/config.json)
  --force             replace an existing configuration
  --test              send the agent a test message even if nothing is asked
  --no-test           send no test message
  --yes               do not ask anything
  --json              do not ask anything, and print the result as one line of JSON

Exit codes: 0 written, and the test message (if any) was answered; 1 not written; 2 invalid command line;
130 interrupted; otherwise those of \`waybill send --wait\`, with the configuration written.

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
    ...{ test: flag, "no-test": flag },
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
    // Check the text the way a start would read it.
    loadConfig(env, { path, content: parseConfigFile(path, content) });
    writeConfig(path, content, { replace });
    reportWritten(path, { answers, telegram }, context);
    const code = isTested(input, answers, context) ? await testMessage(answers, { ...context, env }) : 0;
    if (!context.json) printNext(path, { ...context, env });
    return code;
  },
};

async function answersFor(input: CommandInput, context: CommandContext): Promise<Answers | null> {
  const { env } = context;
  const given = input.value("runtime");
  const lane = input.value("lane");
  const port = checkedPort(input.value("port") ?? String(defaultPort));
  if (lane !== undefined) checkedLane(lane);
  const agents = given === undefined ? await findAgents(env) : [];
  const runtime = given ?? proposedRuntime(agents);
  if (runtime === null) throw noAgentFound();
  const directory = input.value("directory");
  const answers = asks(input, context)
    ? await askOnTerminal({ runtime, directory, isGiven: given !== undefined, agents }, context)
    : { runtime: checkedRuntime(runtime), directory: checkedDirectory(directory ?? process.cwd(), env) };
  return answers && { ...answers, lane: lane ?? proposedLane(answers.directory), port };
}

type Known = { runtime: string; directory: string | undefined; isGiven: boolean; agents: readonly FoundAgent[] };

async function askOnTerminal(known: Known, { env, interrupted, print }: CommandContext) {
  const { runtime, directory, isGiven, agents } = known;
  if (agents.length > 0) {
    // Before the programs report their versions, which takes some of them seconds.
    print("Waybill found:");
    for (const line of await agentLines(agents, env, interrupted)) print(line);
  }
  const proposals = {
    runtime: { proposed: runtime, ...(isGiven ? { given: runtime } : {}) },
    directory: { proposed: process.cwd(), ...(directory === undefined ? {} : { given: directory }) },
  };
  const kinds = agents.map(({ kind }) => kind);
  return ask(proposals, kinds, { input: process.stdin, output: process.stdout, interrupted }, env);
}

function asks(input: CommandInput, { json }: CommandContext): boolean {
  return !json && !input.flag("yes") && process.stdin.isTTY === true && process.stdout.isTTY === true;
}

/** The Telegram client is loaded only when a bot may be set up. */
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

function reportWritten(path: string, { answers, telegram }: Written, { json, print }: CommandContext): void {
  if (json) {
    const { token: _, ...shown } = telegram ?? { token: null };
    print(JSON.stringify({ config: path, ...answers, ...(telegram && { telegram: shown }) }));
    return;
  }
  print(`Wrote ${path}: lane ${answers.lane}, running ${answers.runtime} in ${answers.directory}.`);
  if (telegram?.token) print("The bot token is in that file, which only you can read.");
  else if (telegram) print("The bot token is not in that file: the daemon reads it from TELEGRAM_BOT_TOKEN.");
}

/** A scripted agent without a script could not answer. */
function isTested(input: CommandInput, { runtime }: Answers, context: CommandContext): boolean {
  if (input.flag("no-test") || descriptorOf(runtime, runtimeDescriptors).program === null) return false;
  return input.flag("test") || asks(input, context);
}

/** The configuration stays written, whatever the outcome. */
async function testMessage(answers: Answers, context: CommandContext): Promise<number> {
  const { json, printNote, env } = context;
  if (isDaemonRunning(env)) {
    printNote("A daemon is already running: `waybill restart` makes it use the new configuration.");
    return 0;
  }
  if (!json) printNote(`Sending ${answers.runtime} a test message. Ctrl-C skips it.`);
  const { firstAnswer } = await import("../init/first-answer.ts");
  const code = await firstAnswer(answers, context);
  const { name, hasLogin } = descriptorOf(answers.runtime, runtimeDescriptors);
  const isFailed = code !== exitCodes.ok && code !== exitCodes.interrupted;
  if (isFailed && !json && (await hasLogin?.(env)) === false) {
    printNote(`${name} has no login. Log in with its own program, then run \`waybill init --force\` again.`);
  }
  return code;
}

function printNext(path: string, { env, print, paint }: CommandContext): void {
  const prefix = path === defaultConfigPath(env) ? "" : `WAYBILL_CONFIG=${shellQuote(path)} `;
  const command = (words: string) => paint("bold", `${prefix}${words}`);
  print(
    `Next: ${command("waybill up")} starts Waybill and prints a link to its page; ${command("waybill doctor")} checks the set-up.`,
  );
}

/** `waybill demo`: lets people try Waybill without any account. */
import type { Command } from "../command.ts";
import { usageError } from "../errors.ts";

export const demo: Command = {
  name: "demo",
  summary: "try the Telegram bot in the terminal, without Telegram",
  help: {
    usage: "telegram",
    description: `Starts a daemon with a bot, and a chat with that bot in this terminal. It needs no token and no network: a local
server stands in for Telegram, and the answers are scripted. Each line that you type is a message, except for commands,
which start with a colon; :help lists them. Piped input is sent line by line, and the demo ends when all answers have
arrived. Everything that the demo starts ends with it, and nothing is kept.`,
    json: "one line of JSON for each thing that the bot shows",
    exitCodes: "0 ended by you, 130 ended by a signal, 2 invalid command line, 1 any other error.",
    examples: `waybill demo telegram
echo "Is the build green?" | waybill demo telegram`,
  },
  options: {},
  subcommands: ["telegram"],
  maxArguments: 1,
  async run(input, context) {
    const what = input.argument(0, "the name of the demo is missing: telegram");
    if (what !== "telegram") throw usageError(`unknown demo "${what}"`, "demo", "waybill demo telegram");
    const { runTelegramDemo } = await import("../demo/run-telegram-demo.ts");
    return runTelegramDemo(context);
  },
};

/** `waybill demo`: tries Waybill out without an account anywhere. */
import type { Command } from "../command.ts";
import { usageError } from "../errors.ts";

export const demo: Command = {
  name: "demo",
  summary: "try a chat with a bot in the terminal, without Telegram",
  help: {
    usage: "telegram",
    description: `Starts a daemon with a bot, and a chat with it in this terminal. It needs no token and no network: a server on
loopback plays Telegram, and the answers are scripted. What you type is sent. Lines that begin with a colon do
something else; :help lists them. From a pipe each line is sent, and the demo ends when the answers have come.
Everything that it starts ends with it, and nothing is kept.`,
    json: "one line of JSON for everything that the bot shows",
    exitCodes: "0 ended by the person, 130 ended by a signal, 2 not understood, 1 any other error.",
    examples: `waybill demo telegram
echo "Is the build green?" | waybill demo telegram`,
  },
  options: {},
  subcommands: ["telegram"],
  maxArguments: 1,
  async run(input, context) {
    const what = input.argument(0, "which demo? telegram");
    if (what !== "telegram") throw usageError(`there is no demo "${what}"`, "demo", "waybill demo telegram");
    const { runTelegramDemo } = await import("../demo/run-telegram-demo.ts");
    return runTelegramDemo(context);
  },
};

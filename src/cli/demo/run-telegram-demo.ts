/** Runs the Telegram demo: a Bot API on loopback, a daemon with a bot, and a chat with it. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { sleep, systemClock } from "../../clock.ts";
import { demoDirectory } from "../../daemon/demo/demo-profile.ts";
import { startFakeBotApi } from "../../fake-bot-api/fake-bot-api.ts";
import { waybillHome } from "../../home.ts";
import { packageFile } from "../../package-files.ts";
import type { CommandContext } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printable } from "../output/terminal.ts";
import type { ChatChange } from "./chat-changes.ts";
import { chatLines } from "./chat-lines.ts";
import type { ChatScreen } from "./chat-screen.ts";
import { plainScreen, terminalScreen } from "./chat-screen.ts";
import { startDemoDaemon } from "./demo-daemon.ts";
import { telegramDemoEnvironment } from "./demo-environment.ts";
import { TelegramChat } from "./telegram-chat.ts";

/** After the end of the input: how long answers are waited for, and how long the chat has to be quiet. */
const answersMs = 120_000;
const quietMs = 1000;

export async function runTelegramDemo(context: CommandContext): Promise<number> {
  const { env, interrupted, printNote, paint } = context;
  const parent = demoDirectory(waybillHome(env));
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const home = mkdtempSync(join(parent, "telegram-"));
  const telegram = await startFakeBotApi({ username: "waybill_demo_bot" });
  const you = telegram.user({ first_name: "You", username: "you" });
  const bot = { token: telegram.token, apiRoot: telegram.url, user: you.id };
  const screen = screenFor(context);
  const daemon = startDemoDaemon(process.argv[1] ?? packageFile("bin/waybill"), {
    env: telegramDemoEnvironment(env, home, bot),
    home,
    onWarning: (line) => (context.json ? printNote(line) : screen.print(paint("dim", printable(line)))),
  });
  const over = new AbortController();
  const quit = () => over.abort();
  interrupted.addEventListener("abort", quit);
  void daemon.ended.then(quit);
  const chat = new TelegramChat({
    ...{ telegram, daemon, screen, quit, chat: telegram.privateChat(you) },
    buttonMs: process.stdin.isTTY ? 0 : 30_000,
    show: (change) => show(change, screen, context),
  });
  try {
    if (!context.json) screen.print("A chat with a bot, without Telegram. Write something, or :help. Ctrl-C ends it.");
    const ended = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    const typed = screen.lines((line) => chat.type(line));
    await Promise.race([ended, typed]);
    if (!process.stdin.isTTY) await answers(chat, telegram.onChange, over.signal);
  } finally {
    screen.close();
    await daemon.stop();
    await telegram.close();
    rmSync(home, { recursive: true, force: true });
  }
  return interrupted.aborted ? exitCodes.interrupted : ((await daemon.ended) ?? exitCodes.error);
}

function screenFor({ print }: CommandContext): ChatScreen {
  const { stdin, stdout } = process;
  return stdin.isTTY && stdout.isTTY ? terminalScreen(stdin, stdout) : plainScreen(stdin, print);
}

function show(change: ChatChange, screen: ChatScreen, { json, paint }: CommandContext): void {
  const lines = json ? [JSON.stringify(change)] : chatLines(change, paint);
  for (const line of lines) screen.print(line);
}

/** Resolves when everything is answered and the chat has been quiet for a moment, or when it takes too long. */
async function answers(
  chat: TelegramChat,
  onChange: (listener: () => void) => () => void,
  over: AbortSignal,
): Promise<void> {
  const deadline = systemClock.now() + answersMs;
  let changedAt = systemClock.now();
  const stop = onChange(() => {
    changedAt = systemClock.now();
  });
  const isQuiet = () => chat.isAnswered() && systemClock.now() - changedAt >= quietMs;
  while (!over.aborted && systemClock.now() < deadline && !isQuiet()) await sleep(systemClock, quietMs / 4, over);
  stop();
}

/** Runs the Telegram demo: a fake Bot API on loopback, a daemon with a bot, and a chat with that bot. */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { startFakeBotApi } from "@waybill/fake-bot-api";
import type { z } from "zod";
import { hasOutcome, WaybillClient, WaybillError } from "../../client/index.ts";
import { statuses } from "../../core/delivery/record.ts";
import { daemonSettings, environmentSettings } from "../../daemon/config/settings.ts";
import { demoDirectory } from "../../daemon/demo/demo-profile.ts";
import { AppError } from "../../platform/app-error.ts";
import { sleep, systemClock } from "../../platform/clock.ts";
import { waybillHome } from "../../platform/home.ts";
import { httpFetch } from "../../platform/http-fetch.ts";
import { metaOf } from "../../platform/setting-types.ts";
import { startChildDaemon } from "../child-daemon.ts";
import type { CommandContext } from "../command.ts";
import { findDaemon } from "../connect.ts";
import { exitCodes } from "../errors.ts";
import { printable } from "../output/terminal.ts";
import type { ChatChange } from "./chat-changes.ts";
import type { ChatScreen } from "./chat-screen.ts";
import { chatLines, plainScreen, terminalScreen } from "./chat-screen.ts";
import { TelegramChat } from "./telegram-chat.ts";

/** After the end of the input: how long to wait for answers, and how long the chat must be quiet. */
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
  const demoEnv = telegramDemoEnvironment(env, home, bot);
  const daemon = startChildDaemon({
    env: demoEnv,
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
    if (!context.json)
      screen.print("This is a chat with a bot, without Telegram. Type a message, or :help. Press Ctrl-C to quit.");
    const ended = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    const typed = screen.lines((line) => chat.type(line));
    await Promise.race([ended, typed]);
    if (!process.stdin.isTTY) {
      const isDone = async () => chat.isAnswered() && !(await hasOpenDeliveries(demoEnv, over.signal));
      await quietAfter(isDone, telegram.onChange, over.signal);
    }
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

/** An acknowledgement looks like an answer; the ledger knows better. */
async function hasOpenDeliveries(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<boolean> {
  try {
    const client = new WaybillClient({ ...findDaemon(env), fetch: httpFetch, signal });
    const status = statuses.filter((one) => !hasOutcome({ status: one }));
    return (await client.deliveries({ status, limit: 1 })).deliveries.length > 0;
  } catch (error) {
    // The worker was killed and is about to come back.
    if (error instanceof WaybillError || error instanceof AppError) return true;
    throw error;
  }
}

/** Resolves when everything is done and the chat has been quiet for a moment, or after a timeout. */
async function quietAfter(
  isDone: () => Promise<boolean>,
  onChange: (listener: () => void) => () => void,
  over: AbortSignal,
): Promise<void> {
  const deadline = systemClock.now() + answersMs;
  let changedAt = systemClock.now();
  const stop = onChange(() => {
    changedAt = systemClock.now();
  });
  const isQuiet = async () => systemClock.now() - changedAt >= quietMs && (await isDone());
  while (!over.aborted && systemClock.now() < deadline && !(await isQuiet()))
    await sleep(systemClock, quietMs / 4, over);
  stop();
}

type DemoBot = { token: string; apiRoot: string; user: number };

/** The environment of the demo's daemon. Nothing of a real configuration reaches it. */
function telegramDemoEnvironment(env: NodeJS.ProcessEnv, home: string, bot: DemoBot): NodeJS.ProcessEnv {
  const settings = Object.values<z.ZodType>({ ...daemonSettings, ...environmentSettings });
  const names = new Set(settings.map((schema) => metaOf(schema).env));
  const others = Object.entries(env).filter(([name]) => !names.has(name));
  return {
    ...Object.fromEntries(others),
    WAYBILL_DEMO: "1",
    WAYBILL_HOME: home,
    // Any free port, so that it can run alongside another daemon.
    PORT: "0",
    WAYBILL_DRAIN_MS: "1000",
    TELEGRAM_BOT_TOKEN: bot.token,
    TELEGRAM_API_ROOT: bot.apiRoot,
    TELEGRAM_ALLOWED_USERS: String(bot.user),
  };
}

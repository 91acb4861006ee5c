/** A daemon with a bot, and Telegram's side of it: a fake Bot API with people and chats. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ChatHandle, FakeBotApi, FakeBotApiOptions } from "@waybill/fake-bot-api";
import { startFakeBotApi } from "@waybill/fake-bot-api";
import type { User } from "grammy/types";
import type { TestContext } from "vitest";
import type { StubScriptInput } from "../../../src/runtimes/stub/script.ts";
import type { DaemonHome } from "../daemon/daemon-home.ts";
import { InProcessDaemon } from "../daemon/in-process-daemon.ts";
import { Program } from "../daemon/program.ts";

export type TelegramWorldOptions = {
  script?: StubScriptInput;
  settings?: Record<string, unknown>;
  api?: FakeBotApiOptions;
};

/** An agent with a fixed answer. */
export const echo: StubScriptInput = { always: [{ steps: [{ say: "The answer is 42." }] }] };

/** Ann is allowed in her private chat and in the groups that `configure` names later. */
export class TelegramWorld<Daemon extends DaemonHome> {
  readonly daemon: Daemon;
  readonly telegram: FakeBotApi;
  readonly ann: User;

  static async inProcess(options: TelegramWorldOptions = {}): Promise<TelegramWorld<InProcessDaemon>> {
    return new TelegramWorld(new InProcessDaemon(), await startFakeBotApi(options.api), options);
  }

  /** With the built program, for tests that kill it or run its commands. */
  static async ofProgram(options: TelegramWorldOptions = {}): Promise<TelegramWorld<Program>> {
    return new TelegramWorld(new Program(), await startFakeBotApi(options.api), options);
  }

  private constructor(daemon: Daemon, telegram: FakeBotApi, options: TelegramWorldOptions) {
    this.daemon = daemon;
    this.telegram = telegram;
    this.ann = telegram.user({ first_name: "Ann", username: "ann" });
    this.configure(options);
  }

  configure({ script = echo, settings = {} }: TelegramWorldOptions, chats: readonly ChatHandle[] = []): void {
    const { telegram, daemon, ann } = this;
    daemon.configure(
      {},
      {
        stubScript: script,
        assistantRepoPath: daemon.work,
        allowedDirectories: [daemon.directory],
        telegramBotToken: telegram.token,
        telegramApiRoot: telegram.url,
        telegramAllowedUsers: [ann.id],
        telegramAllowedChats: chats.map(({ id }) => id),
        ...settings,
      },
    );
  }

  /** A directory that lanes may work in. */
  repository(name: string): string {
    const path = join(this.daemon.directory, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  async dispose(): Promise<void> {
    await this.daemon.dispose();
    await this.telegram.close();
  }
}

export type BotOptions = TelegramWorldOptions & {
  /** A supergroup to write in, instead of Ann's private chat. */
  group?: Parameters<FakeBotApi["supergroup"]>[0];
  /** Called before the daemon starts. */
  before?: (bot: StartedBot) => void | Promise<void>;
};
export type StartedBot = { world: TelegramWorld<InProcessDaemon>; chat: ChatHandle };

/** A daemon of its own for one test, so that tests can run side by side. */
export async function startBot(
  { onTestFinished }: Pick<TestContext, "onTestFinished">,
  { group, before, ...options }: BotOptions = {},
): Promise<StartedBot> {
  const world = await TelegramWorld.inProcess(options);
  onTestFinished(() => world.dispose());
  const { telegram, ann, daemon } = world;
  const chat = group ? telegram.supergroup({ members: [ann], ...group }) : telegram.privateChat(ann);
  if (group) world.configure(options, [chat]);
  await before?.({ world, chat });
  await daemon.up();
  return { world, chat };
}

/** The texts that the bot shows in a chat, oldest first. */
export function botTexts(chat: Pick<ChatHandle, "messages">): string[] {
  return chat.messages.filter(({ isFromBot }) => isFromBot).map(({ text }) => text);
}

/** Resolves when the bot shows a text that matches. */
export function saysIn(chat: ChatHandle, pattern: RegExp, thread?: number): Promise<string> {
  return chat.waitFor(({ messages }) => {
    const found = messages.find(
      (message) =>
        message.isFromBot && pattern.test(message.text) && (thread === undefined || message.thread === thread),
    );
    return found?.text;
  });
}

/**
 * The texts that the bot shows in a topic, in the order in which they first appeared. This is not the order of the messages:
 * an answer may replace an earlier sign.
 */
export function appearances(telegram: FakeBotApi, chat: ChatHandle): (thread?: number) => string[] {
  const seen = new Set<string>();
  telegram.onChange(() => {
    for (const { isFromBot, thread, text } of chat.messages)
      if (isFromBot) seen.add(JSON.stringify([thread ?? 0, text]));
  });
  return (thread = 0) => {
    const all = [...seen].map((entry) => JSON.parse(entry) as [number, string]);
    return all.flatMap(([where, text]) => (where === thread ? [text] : []));
  };
}

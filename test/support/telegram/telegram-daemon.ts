/** The built daemon with a bot, and Telegram's side of it: a fake Bot API with people and chats. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ChatHandle, FakeBotApi, FakeBotApiOptions } from "@waybill/fake-bot-api";
import { startFakeBotApi } from "@waybill/fake-bot-api";
import type { User } from "grammy/types";
import type { StubScriptInput } from "../../../src/runtimes/stub/script.ts";
import type { DaemonProcess } from "../daemon/daemon-process.ts";
import { Program } from "../daemon/program.ts";

export type TelegramWorldOptions = {
  script?: StubScriptInput;
  settings?: Record<string, unknown>;
  api?: FakeBotApiOptions;
};

/** An agent with a fixed answer. */
export const echo: StubScriptInput = { always: [{ steps: [{ say: "The answer is 42." }] }] };

export class TelegramWorld {
  readonly program = new Program();
  readonly telegram: FakeBotApi;
  readonly ann: User;
  daemon!: DaemonProcess;

  private constructor(telegram: FakeBotApi) {
    this.telegram = telegram;
    this.ann = telegram.user({ first_name: "Ann", username: "ann" });
  }

  /** Ann is allowed in her private chat and in the groups that `allow` names later. */
  static async create(options: TelegramWorldOptions = {}): Promise<TelegramWorld> {
    const world = new TelegramWorld(await startFakeBotApi(options.api));
    world.configure(options);
    return world;
  }

  configure({ script = echo, settings = {} }: TelegramWorldOptions, chats: readonly ChatHandle[] = []): void {
    const { telegram, program, ann } = this;
    program.configure(
      {},
      {
        stubScript: script,
        assistantRepoPath: program.work,
        allowedDirectories: [program.directory],
        telegramBotToken: telegram.token,
        telegramApiRoot: telegram.url,
        telegramAllowedUsers: [ann.id],
        telegramAllowedChats: chats.map(({ id }) => id),
        ...settings,
      },
    );
  }

  async up(env: Record<string, string> = {}): Promise<DaemonProcess> {
    this.daemon = await this.program.up(env);
    return this.daemon;
  }

  /** A directory that lanes may work in. */
  repository(name: string): string {
    const path = join(this.program.directory, name);
    mkdirSync(path, { recursive: true });
    return path;
  }

  async dispose(): Promise<void> {
    await this.program.dispose();
    await this.telegram.close();
  }
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

/** One daemon with many people and groups, each for one failure scenario, so that scenarios can run in parallel. */
import { realpathSync } from "node:fs";
import type { ChatHandle, Fault, SendOptions } from "@waybill/fake-bot-api";
import { expect } from "vitest";
import { laneOf, topicKey } from "../../../src/transports/telegram/topics/topic.ts";
import type { InProcessDaemon } from "../daemon/in-process-daemon.ts";
import { saysIn, TelegramWorld } from "./telegram-world.ts";

/**
 * Prompts that contain "when told" ask first, and those with "later" wait until the test calls `answerLater`; everything
 * else is answered immediately.
 */
const script = {
  always: [
    { when: "when told", steps: [{ ask: "permission" as const, title: "May I?" }, { echo: "Done as you asked: " }] },
    { when: "later", steps: [{ until: "later" }, { echo: "Done as you asked: " }] },
    { steps: [{ echo: "Done as you asked: " }] },
  ],
  stepMs: 2,
};

export const patience = { timeoutMs: 120_000 };

export class TroubleWorld {
  readonly world: TelegramWorld<InProcessDaemon>;
  readonly #people: ChatHandle[];
  readonly #groups: ChatHandle[];
  #count = 0;

  static async start(people: number, groups: number): Promise<TroubleWorld> {
    const world = await TelegramWorld.inProcess();
    const trouble = new TroubleWorld(world, people, groups);
    await world.daemon.up();
    return trouble;
  }

  private constructor(world: TelegramWorld<InProcessDaemon>, people: number, groups: number) {
    const { telegram, ann } = world;
    this.world = world;
    const users = Array.from({ length: people }, (_, number) => telegram.user({ username: `user${number}` }));
    this.#people = users.map((user) => telegram.privateChat(user));
    this.#groups = Array.from({ length: groups }, (_, number) =>
      number % 2 === 0 ? telegram.group({ members: [ann] }) : telegram.supergroup({ topics: true, members: [ann] }),
    );
    const settings = {
      telegramAllowedUsers: [ann.id, ...users.map(({ id }) => id)],
      telegramLongPollMs: 1000,
      telegramCallTimeoutMs: 1500,
      maxConcurrentTopics: 100,
    };
    world.configure({ script, settings }, this.#groups);
  }

  get telegram() {
    return this.world.telegram;
  }

  /** A private chat that no other test uses. */
  person(): ChatHandle {
    return given(this.#people.pop());
  }

  /** A group without topics. */
  group(): ChatHandle {
    return given(
      this.#groups.splice(
        this.#groups.findIndex(({ info }) => info.type === "group"),
        1,
      )[0],
    );
  }

  forum(): ChatHandle {
    return given(
      this.#groups.splice(
        this.#groups.findIndex(({ info }) => info.type === "supergroup"),
        1,
      )[0],
    );
  }

  text(word = "quickly"): string {
    this.#count += 1;
    return `Sort file ${this.#count} ${word}.`;
  }

  /** Sends a message and returns its text. */
  send(chat: ChatHandle, options: SendOptions = {}, text = this.text()): string {
    chat.send(text, options);
    return text;
  }

  /** Sends a message, and resolves when it is answered. */
  async ask(chat: ChatHandle, options: SendOptions = {}): Promise<void> {
    await answered(chat, this.send(chat, options));
  }

  /** Sends a message whose turn runs until `finish`. Resolves with its text when the chat shows that. */
  async begin(chat: ChatHandle, thread?: number): Promise<string> {
    const text = this.send(chat, thread === undefined ? {} : { thread }, this.text("when told"));
    await Promise.all(
      [/May I/, ...(chat.info.type === "private" ? [] : [/Working/])].map((sign) => saysIn(chat, sign, thread)),
    );
    return text;
  }

  answerLater(): void {
    this.world.daemon.openGate("later");
  }

  async finish(chat: ChatHandle, thread: number | null = null): Promise<void> {
    const client = this.world.daemon.client();
    const { asks } = await client.asks();
    await client.answer(given(asks.find(({ lane }) => lane === this.#lane(chat, thread))).id, { decision: "once" });
  }

  /** The texts of the messages that have not been sent to the agent. */
  async waiting(chat: ChatHandle): Promise<(string | null)[]> {
    const filter = { lane: this.#lane(chat, null), status: ["pending"] as const };
    return (await this.world.daemon.client().deliveries(filter)).deliveries.map(({ excerpt }) => excerpt);
  }

  /** The whole text of the message to the agent that ends like this. */
  async admitted(end: string): Promise<string | undefined> {
    const { messages } = await this.world.daemon.client().messages({ q: end });
    return messages.find(({ text }) => text.endsWith(end) && !text.startsWith("Done"))?.text;
  }

  #lane(chat: ChatHandle, thread: number | null): string {
    return laneOf(topicKey({ chat: chat.id, thread }), realpathSync(this.world.daemon.work));
  }

  /** Makes the next matching call in this chat fail. Resolves when it does. */
  fail(methods: readonly string[], chat: ChatHandle, fault: Fault, words = ""): Promise<void> {
    return new Promise((resolve) => {
      let isUsed = false;
      const where = (params: Record<string, unknown>) => {
        if (isUsed || String(params.chat_id) !== String(chat.id)) return false;
        if (!JSON.stringify(params).includes(words)) return false;
        isUsed = true;
        resolve();
        return true;
      };
      for (const method of methods) this.telegram.fail({ method, where, with: fault });
    });
  }

  /** Resolves when Telegram has refused something for this chat. */
  async refused(chat: ChatHandle): Promise<void> {
    await this.world.daemon.waitForLine({ event: "telegram_not_sent", chat: String(chat.id) });
  }

  dispose(): Promise<void> {
    return this.world.dispose();
  }
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("the world has too few chats for its tests");
  return value;
}

export function answersTo(chat: ChatHandle, text: string): ChatHandle["messages"] {
  return chat.messages.filter((message) => message.isFromBot && message.text === `Done as you asked: ${text}`);
}

export async function answered(chat: ChatHandle, text: string): Promise<void> {
  await chat.waitFor(() => answersTo(chat, text).length > 0, patience);
}

export function expectOneAnswer(chat: ChatHandle, ...texts: readonly string[]): void {
  for (const text of texts) expect(answersTo(chat, text), text).toHaveLength(1);
}

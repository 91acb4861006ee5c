/** The demo's chat: shows what the bot does, and runs what the person types. */
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import type { ChatHandle, ChatView, FakeBotApi, ShownMessage } from "@waybill/fake-bot-api";
import { messageOf } from "../../platform/app-error.ts";
import type { ChildDaemon } from "../child-daemon.ts";
import { printable } from "../output/terminal.ts";
import type { ChatChange, ChatReader, NumberedButton } from "./chat-changes.ts";
import { chatReader } from "./chat-changes.ts";
import type { ChatCommand } from "./chat-command.ts";
import { chatHelp, readChatCommand } from "./chat-command.ts";
import type { ChatScreen } from "./chat-screen.ts";

export type ChatDeps = {
  telegram: FakeBotApi;
  chat: ChatHandle;
  daemon: ChildDaemon;
  screen: ChatScreen;
  show: (change: ChatChange) => void;
  /** How long `:1` waits for its button to appear, since a script is faster than the bot. */
  buttonMs: number;
  quit: () => void;
};

export class TelegramChat {
  readonly #deps: ChatDeps;
  readonly #reader: ChatReader = chatReader();
  #thread: number | undefined;
  #lastSent: number | null = null;

  constructor(deps: ChatDeps) {
    this.#deps = deps;
    deps.telegram.onChange(() => this.#look());
  }

  /** Never rejects: prints the error instead. */
  async type(line: string): Promise<void> {
    try {
      await this.#run(readChatCommand(line));
    } catch (error) {
      this.#say(messageOf(error));
    }
  }

  /** Whether every message has an answer, as far as the chat shows. */
  isAnswered(): boolean {
    return allAnswered(this.#deps.chat.view());
  }

  async #run(command: ChatCommand): Promise<void> {
    const { chat, telegram, daemon } = this.#deps;
    const place = this.#thread === undefined ? {} : { thread: this.#thread };
    switch (command.kind) {
      case "send":
        this.#lastSent = chat.send(command.text, place).message_id;
        return;
      case "file": {
        const file = { bytes: readFileSync(command.path), name: basename(command.path) };
        this.#lastSent = chat.sendDocument(file, place).message_id;
        return;
      }
      case "edit":
        if (this.#lastSent === null) return this.#say("You have not sent anything yet.");
        chat.edit(this.#lastSent, command.text);
        return;
      case "press":
        return this.#press(await this.#button(command.button));
      case "topic":
        return this.#goTo(command.name);
      case "topics":
        return this.#say(chat.topics.map(({ name }) => name).join(", ") || "There are no topics.");
      case "stop":
        return chat.stopDraft(place);
      case "offline":
        await telegram.goDown();
        return this.#say("Telegram is down. Your messages wait there.");
      case "online":
        await telegram.comeBack();
        return this.#say("Telegram is back.");
      case "kill":
        return this.#say(daemon.killWorker() ? "The worker was killed." : "No worker is running at the moment.");
      case "help":
        for (const line of chatHelp) this.#say(line);
        return;
      case "quit":
        return this.#deps.quit();
      case "nothing":
        return;
      case "unknown":
        return this.#say(`Unknown command: ${command.word}. :help lists the commands.`);
      default:
        return command satisfies never;
    }
  }

  #goTo(name: string): void {
    const { chat } = this.#deps;
    this.#thread =
      name === "" ? undefined : (chat.topics.find((topic) => topic.name === name)?.id ?? chat.createTopic(name));
    this.#say(name === "" ? "You are in the main chat." : `You are in the topic ${name}.`);
  }

  async #button(number: number): Promise<NumberedButton> {
    const { chat, buttonMs } = this.#deps;
    const found = () => this.#reader.button(number);
    try {
      return found() ?? (await chat.waitFor(found, { timeoutMs: buttonMs }));
    } catch {
      throw new Error(`There is no button ${number}.`);
    }
  }

  async #press({ message, data }: NumberedButton): Promise<void> {
    const { text } = await this.#deps.chat.press(message, { data });
    if (text) this.#say(text);
  }

  #look(): void {
    const view = this.#deps.chat.view();
    for (const change of this.#reader.changes(view)) this.#deps.show(change);
    this.#deps.screen.draft(printable(view.draft?.text ?? ""));
  }

  #say(line: string): void {
    this.#deps.screen.print(line);
  }
}

/** Whether every message in the demo's chat has an answer, as far as the chat shows. */
export function allAnswered({ messages, drafts }: Pick<ChatView, "messages" | "drafts">): boolean {
  const own = messages.filter(({ isFromBot, text, file }) => !isFromBot && (text !== "" || file));
  const answered = new Set(messages.filter(isAnswer).map(({ replyTo }) => replyTo));
  return drafts.length === 0 && own.every(({ id, text }) => text.startsWith("/") || answered.has(id));
}

/** "Queued", progress and asks have buttons, which an answer does not. A failure has one to retry it. */
function isAnswer({ isFromBot, replyTo, keyboard }: ShownMessage): boolean {
  const buttons = keyboard.flat();
  const canRetry = buttons.some((button) => "callback_data" in button && button.callback_data.startsWith("retry:"));
  return isFromBot && replyTo !== undefined && (buttons.length === 0 || canRetry);
}

/** The asks shown in chats and the replies they wait for, in memory and in the store. The caller commits changes. */
import { z } from "zod";
import type { TransportWrites } from "../../../mail/outbox/transport-box.ts";
import type { ChatAsk } from "./chat-ask.ts";
import { storedAsk } from "./chat-ask.ts";

type StateWrite = NonNullable<TransportWrites["state"]>[number];

const askPrefix = "ask:";
const replyPrefix = "reply:";

const storedReply = z.object({
  chat: z.number(),
  ask: z.string(),
  /** Null for the reason for a rejection. */
  question: z.number().nullable(),
  /** Kept after use, so that an edit of the reply does not become a message to the agent. */
  isUsed: z.boolean(),
});
/** The purpose of a reply to one of the bot's messages. */
export type AwaitedReply = z.output<typeof storedReply>;

export class ChatAsks {
  readonly #asks = new Map<string, ChatAsk>();
  /** By the key of the row that asks for the reply. */
  readonly #replies = new Map<string, AwaitedReply>();
  readonly #deciding = new Set<string>();
  readonly #answered = new Set<string>();

  load(state: ReadonlyMap<string, unknown>): void {
    for (const [key, value] of state) {
      if (key.startsWith(askPrefix)) this.keep(storedAsk.parse(value));
      if (key.startsWith(replyPrefix)) this.#replies.set(key.slice(replyPrefix.length), storedReply.parse(value));
    }
  }

  /** Null once it has ended. */
  find(name: string): ChatAsk | null {
    return this.#asks.get(name) ?? null;
  }

  keep(ask: ChatAsk): StateWrite[] {
    this.#asks.set(ask.name, ask);
    return [{ key: `${askPrefix}${ask.name}`, value: ask }];
  }

  end({ name }: Pick<ChatAsk, "name">): StateWrite[] {
    this.#asks.delete(name);
    return [{ key: `${askPrefix}${name}`, value: null }];
  }

  /** Ends an ask that was answered in a chat: the agent never asks it again. */
  endAnswered(ask: Pick<ChatAsk, "name">): StateWrite[] {
    this.#answered.add(ask.name);
    return this.end(ask);
  }

  /** Since this process started. */
  wasAnswered(name: string): boolean {
    return this.#answered.has(name);
  }

  keepReply(rowKey: string, reply: AwaitedReply): StateWrite[] {
    this.#replies.set(rowKey, reply);
    return [{ key: `${replyPrefix}${rowKey}`, value: reply }];
  }

  forgetReply(rowKey: string): StateWrite[] {
    this.#replies.delete(rowKey);
    return [{ key: `${replyPrefix}${rowKey}`, value: null }];
  }

  repliesIn(chat: number): readonly (readonly [string, AwaitedReply])[] {
    return [...this.#replies].filter(([, reply]) => reply.chat === chat);
  }

  /** False while another press is deciding it. */
  beginDeciding(name: string): boolean {
    if (this.#deciding.has(name)) return false;
    this.#deciding.add(name);
    return true;
  }

  endDeciding(name: string): void {
    this.#deciding.delete(name);
  }
}

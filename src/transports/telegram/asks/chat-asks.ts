/** The asks as chats show them, and the replies they wait for: in memory and in the store. The caller commits changes. */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { StateWrite } from "../topics/topics.ts";

const question = z.object({
  header: z.string().nullable(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
  multiple: z.boolean(),
});

/** Written only by Waybill, but possibly by an older version. */
const storedAsk = z.object({
  name: z.string(),
  /** The agent program's id. */
  id: z.string(),
  kind: z.enum(["permission", "question"]),
  /** The event that announced it. */
  event: z.string(),
  /** The topics that show it. */
  places: z.array(z.object({ key: z.string(), chat: z.number(), thread: z.number().nullable() })),
  /** The text of each of its messages before an answer: one for a permission, one for each question. */
  texts: z.array(z.string()),
  questions: z.array(question),
  /** The options marked so far, by question. */
  marked: z.array(z.array(z.number())),
  /** By question. */
  answers: z.array(z.object({ labels: z.array(z.string()), by: z.string() }).nullable()),
  /** The decision about a permission, if it was made in a chat. */
  decision: z
    .object({ decision: z.enum(["once", "always", "reject"]), by: z.string(), reason: z.string().nullable() })
    .nullable(),
});

export type ChatAsk = z.output<typeof storedAsk>;
export type AskPlace = ChatAsk["places"][number];

/** Short enough for a button's data, which holds 64 bytes. */
export function askName(askId: string): string {
  return createHash("sha256").update(askId).digest("hex").slice(0, 16);
}

/** The key of the outbox row that shows a part of the ask in a place. */
export function messageKey({ event }: Pick<ChatAsk, "event">, part: number, { key }: Pick<AskPlace, "key">): string {
  return `ask:${event}:${part}:${key}`;
}

/** Safe to repeat. */
export function marked(ask: ChatAsk, question: number, option: number, on: boolean): ChatAsk {
  const others = (ask.marked[question] ?? []).filter((one) => one !== option);
  const next = on ? [...others, option].sort((one, other) => one - other) : others;
  return { ...ask, marked: ask.marked.map((one, index) => (index === question ? next : one)) };
}

export function markedLabels({ marked, questions }: ChatAsk, question: number): string[] {
  return (marked[question] ?? []).flatMap((option) => questions[question]?.options[option]?.label ?? []);
}

export function answered(ask: ChatAsk, question: number, labels: readonly string[], by: string): ChatAsk {
  const answer = { labels: [...labels], by };
  return { ...ask, answers: ask.answers.map((one, index) => (index === question ? answer : one)) };
}

/** The answers to all questions; null while one is missing. */
export function allAnswers({ answers }: ChatAsk): string[][] | null {
  const given = answers.flatMap((answer) => (answer ? [answer.labels] : []));
  return given.length === answers.length ? given : null;
}

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

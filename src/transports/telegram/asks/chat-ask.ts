/** An ask as the chats show it. It is stored until it ends. Pure. */
import { createHash } from "node:crypto";
import { z } from "zod";

const question = z.object({
  header: z.string().nullable(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
  multiple: z.boolean(),
});

/** Written only by Waybill, but possibly by an older version. */
export const storedAsk = z.object({
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

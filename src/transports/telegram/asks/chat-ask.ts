/** Something that an agent asks, as the chats show it. It is kept until it is over. Pure. */
import { createHash } from "node:crypto";
import { z } from "zod";

const question = z.object({
  header: z.string().nullable(),
  question: z.string(),
  options: z.array(z.object({ label: z.string(), description: z.string().nullable() })),
  multiple: z.boolean(),
});

/** Written by this program only, but perhaps by an older one. */
export const storedAsk = z.object({
  name: z.string(),
  /** As the agent program calls it. */
  id: z.string(),
  kind: z.enum(["permission", "question"]),
  /** The event that announced it. */
  event: z.string(),
  /** The topics that show it. */
  places: z.array(z.object({ key: z.string(), chat: z.number(), thread: z.number().nullable() })),
  /** What each of its messages shows before an answer: one for a permission, one for each question. */
  texts: z.array(z.string()),
  questions: z.array(question),
  /** The options that are marked so far, by question. */
  marked: z.array(z.array(z.number())),
  /** By question. */
  answers: z.array(z.object({ labels: z.array(z.string()), by: z.string() }).nullable()),
  /** What somebody in a chat has decided about a permission. */
  decision: z
    .object({ decision: z.enum(["once", "always", "reject"]), by: z.string(), reason: z.string().nullable() })
    .nullable(),
});

export type ChatAsk = z.output<typeof storedAsk>;
export type AskPlace = ChatAsk["places"][number];

/** Short enough for the data of a button, which holds 64 bytes. */
export function askName(askId: string): string {
  return createHash("sha256").update(askId).digest("hex").slice(0, 16);
}

/** The row of the outbox that shows a part of the ask in a place. */
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

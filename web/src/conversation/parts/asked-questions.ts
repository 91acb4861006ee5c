/** What a tool call asked a person, and what they answered. Pure. */
import type { Question, ShownItem, Turn } from "../../live/turns.ts";

export type AskedQuestions = {
  questions: readonly Question[];
  /** Null while it waits for an answer, and if that is not known. */
  outcome: string | null;
  /** By question; null if there are none. */
  answers: readonly (readonly string[])[] | null;
  isWaiting: boolean;
};

/** The questions of a turn, by the call that asked them. */
export function questionsByCall({
  asks,
  askOutcomes,
}: Pick<Turn, "asks" | "askOutcomes">): Map<string, AskedQuestions> {
  return new Map(
    asks.flatMap(({ id, call, questions }): [string, AskedQuestions][] => {
      if (call === null || questions.length === 0) return [];
      const { outcome = null, answers = null } = askOutcomes.get(id) ?? {};
      return [[call, { questions, outcome, answers, isWaiting: !askOutcomes.has(id) }]];
    }),
  );
}

/** The questions of a tool call; null if it asks none. Its ask may be in a part of the history that is not loaded. */
export function questionsOf(call: ShownItem, byCall: ReadonlyMap<string, AskedQuestions>): AskedQuestions | null {
  const part = call.parts.find(({ type }) => type === "tool_call");
  if (part?.type !== "tool_call") return null;
  const asked = byCall.get(part.call);
  if (asked) return asked;
  const questions = questionsIn(part.input);
  return questions && { questions, outcome: null, answers: null, isWaiting: false };
}

/** Asks that are not shown with the call that asked. */
export function asksWithoutCall({ asks, items }: Pick<Turn, "asks" | "items">): Turn["asks"] {
  const calls = new Set(
    items.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool_call" ? [part.call] : []))),
  );
  return asks.filter(({ call, questions }) => call === null || questions.length === 0 || !calls.has(call));
}

/** All answers on one line. */
export function answerWords({ answers }: AskedQuestions): string {
  return (answers ?? []).map((answer) => answer.join(", ")).join("; ");
}

/** Answers in a person's own words, which are none of the options. */
export function ownAnswers({ options }: Question, answers: readonly string[]): readonly string[] {
  return answers.filter((answer) => !options.some(({ label }) => label === answer));
}

/** OpenCode, Claude Code and pi name the same fields, except for the one that allows several options. */
function questionsIn(input: unknown): Question[] | null {
  const { questions } = fieldsOf(input);
  if (!Array.isArray(questions) || questions.length === 0) return null;
  const known = questions.flatMap((one: unknown): Question[] => {
    const { question, header, options, multiple, multiSelect } = fieldsOf(one);
    const labelled = Array.isArray(options) ? options.map(optionOf) : [];
    if (typeof question !== "string" || labelled.includes(null)) return [];
    const shown = labelled.filter((option) => option !== null);
    return [{ header: textOf(header), question, options: shown, multiple: multiple === true || multiSelect === true }];
  });
  return known.length === questions.length ? known : null;
}

function optionOf(value: unknown): Question["options"][number] | null {
  const { label, description } = fieldsOf(value);
  return typeof label === "string" ? { label, description: textOf(description) } : null;
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

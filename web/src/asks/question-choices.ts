/** What a person has chosen in the questions of an ask, and the resulting answers. Pure. */
import type { Question } from "../live/turns.ts";

export type Choice = {
  /** Options by index. */
  chosen: readonly number[];
  /** The person's own words, kept even while they are not the answer. */
  other: string;
  usesOther: boolean;
};

export const noChoice: Choice = { chosen: [], other: "", usesOther: false };

type Kind = Pick<Question, "multiple">;

/** A question allows one option, or any number of them. */
export function chooseOption(choice: Choice, option: number, { multiple }: Kind): Choice {
  if (!multiple) return { ...choice, chosen: [option], usesOther: false };
  const isChosen = choice.chosen.includes(option);
  const chosen = isChosen ? choice.chosen.filter((one) => one !== option) : [...choice.chosen, option];
  return { ...choice, chosen: chosen.toSorted((one, other) => one - other) };
}

export function chooseOther(choice: Choice, { multiple }: Kind): Choice {
  return multiple ? { ...choice, usesOther: !choice.usesOther } : { ...choice, chosen: [], usesOther: true };
}

/** Writing a free answer also selects it. */
export function writeOther(choice: Choice, other: string, { multiple }: Kind): Choice {
  const usesOther = other.trim() !== "" || choice.usesOther;
  return { other, usesOther, chosen: usesOther && !multiple ? [] : choice.chosen };
}

export function answerTo({ options }: Pick<Question, "options">, { chosen, other, usesOther }: Choice): string[] {
  const labels = chosen.flatMap((index) => options[index]?.label ?? []);
  const own = other.trim();
  // Without options, the free answer is the only one.
  return own !== "" && (usesOther || options.length === 0) ? [...labels, own] : labels;
}

/** One list of answers for each question; null while a question has none. */
export function answersOf(questions: readonly Question[], choices: readonly Choice[]): string[][] | null {
  const answers = questions.map((question, index) => answerTo(question, choices[index] ?? noChoice));
  return answers.length > 0 && answers.every((answer) => answer.length > 0) ? answers : null;
}

/** The question that a digit applies to: the focused one, else the first without an answer, else the last. */
export function askedNow(
  questions: readonly Question[],
  choices: readonly Choice[],
  focused: number | null,
): number | null {
  if (focused !== null || questions.length === 0) return focused;
  const open = questions.findIndex((question, index) => answerTo(question, choices[index] ?? noChoice).length === 0);
  return open < 0 ? questions.length - 1 : open;
}

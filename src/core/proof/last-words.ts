/**
 * The words that a turn ended with, cleaned: those of its last step that has any. A text between two tools is not an
 * answer; one beside the last tool call is, when only an empty step follows. Pure.
 */
import { cleanText } from "../transcript/clean-text.ts";
import type { TranscriptRow } from "../transcript/transcript.ts";
import { judgeSubstance } from "./acknowledgement.ts";
import type { ProviderError } from "./provider-error.ts";
import { providerErrorAsText } from "./provider-notice.ts";

export type LastWords = {
  /** As a person gets them. */
  text: string;
  /** As the program has them. */
  raw: string;
};

export type ClosingWords = {
  /** The newest that say something, or the newest at all. */
  words: LastWords | null;
  /** A text that is nothing but a provider's error, when the newest turn ended with it. */
  notice: (LastWords & { error: ProviderError }) | null;
};

/** `turns`: the rows of each attempt's turn. */
export function closingWords(turns: readonly (readonly TranscriptRow[])[], request: string | null): ClosingWords {
  const spoken = turns
    .flatMap(lastWordsOf)
    .map((words) => ({ ...words, error: providerErrorAsText(words.text, request) }));
  const answers = spoken.filter(({ error }) => error === null);
  const newest = answers.findLast(({ text }) => judgeSubstance(text, request) !== "acknowledgement") ?? answers.at(-1);
  const last = lastWordsOf(turns.at(-1) ?? []).at(-1);
  const error = last ? providerErrorAsText(last.text, request) : null;
  return {
    words: newest ? { text: newest.text, raw: newest.raw } : null,
    notice: last && error ? { ...last, error } : null,
  };
}

function lastWordsOf(rows: readonly TranscriptRow[]): LastWords[] {
  const finals = rows.filter(isFinal).map(wordsOf);
  const besideTool = wordsBesideLastTool(rows);
  return [...(besideTool ? [besideTool] : []), ...finals].filter(({ text }) => text !== "");
}

/** Null unless steps that say and do nothing are all that follows it. */
function wordsBesideLastTool(rows: readonly TranscriptRow[]): LastWords | null {
  const place = rows.findLastIndex((row) => row.tools.length > 0 || wordsOf(row).text !== "");
  const row = rows[place];
  const following = rows.slice(place + 1);
  if (!row || row.error !== null || row.completedAt === null || row.tools.length === 0 || isFinal(row)) return null;
  return following.length > 0 && following.every(isFinal) ? wordsOf(row) : null;
}

function wordsOf({ text }: TranscriptRow): LastWords {
  return { text: cleanText(text), raw: text };
}

/** A row that ended its turn. A row that ended in tool calls was followed, or was to be followed, by another. */
function isFinal(row: TranscriptRow): boolean {
  return row.completedAt !== null && row.error === null && row.finish !== "tool-calls";
}

/**
 * The phrases that agents use to acknowledge and promise in one language: data, in files by family.
 * `acknowledgement.ts` combines them. For a language without spaces between words, set `spaced: false`.
 */
export type Phrases = {
  spaced: boolean;
  /** Acknowledge on their own: "got it". */
  says: readonly string[];
  /** Announce an action; followed by one of `verbs` they are a promise: "I'll" + "check". */
  will: readonly string[];
  /** Promised actions that are not a result: "check", "look into", "get back". */
  verbs: readonly string[];
  /** Come between the two if the verb is last: "ich werde" + "das" + "prüfen". */
  objects: readonly string[];
  /** Promise or acknowledge on their own, whatever follows: "looking into", "thanks for". */
  open: readonly string[];
  /** Promise when they end a clause, in languages where verbs come last. */
  endings: readonly string[];
  /** May come before one of these. */
  before: readonly string[];
  /** May follow an acknowledgement. */
  after: readonly string[];
  /** Accompany an acknowledgement. Alone they may be an answer: "great", "of course". */
  companions: readonly string[];
  /** A promise that continues with one of these explains something: "by", "because". */
  reasons: readonly string[];
  /** Directly after the first words of a promise, these turn it into a statement: "monitoring" + "is" + "off". */
  states: readonly string[];
  /** Agree. Before a promise they only agree to it; alone, or as their own sentence, they are an answer. */
  assents: readonly string[];
  /** Mean that work continues if they are the whole text. */
  alone: readonly string[];
};

/** Phrases separated by commas or line breaks. */
export function list(words: string): string[] {
  return words
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "");
}

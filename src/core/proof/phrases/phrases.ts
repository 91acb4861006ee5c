/**
 * The phrases by which agents acknowledge and promise in one language: data, one file a language. `acknowledgement.ts`
 * says how they are put together. Where a language does not put spaces between words, set `spaced: false`.
 */
export type Phrases = {
  spaced: boolean;
  /** Acknowledge by themselves: "got it". */
  says: readonly string[];
  /** Announce what is to come; with a verb of `verbs` behind them they are a promise: "I'll" + "check". */
  will: readonly string[];
  /** What is promised and is no result: "check", "look into", "get back". */
  verbs: readonly string[];
  /** Stand between the two where the verb comes last: "ich werde" + "das" + "prüfen". */
  objects: readonly string[];
  /** Promise or acknowledge by themselves, whatever follows: "looking into", "thanks for". */
  open: readonly string[];
  /** Promise when they end a clause, where verbs stand last. */
  endings: readonly string[];
  /** May stand before one of these. */
  before: readonly string[];
  /** May stand behind what acknowledges. */
  after: readonly string[];
  /** Go along with an acknowledgement. Alone they may be an answer: "great", "of course". */
  companions: readonly string[];
  /** A promise that goes on with one of these explains something: "by", "because". */
  reasons: readonly string[];
  /** Right behind the first words of a promise these make a statement of it: "monitoring" + "is" + "off". */
  states: readonly string[];
  /** Agree. Before a promise they only agree to it; alone, or as a sentence of their own, they answer. */
  assents: readonly string[];
  /** Say that work goes on when they are all that is said. */
  alone: readonly string[];
};

/** Phrases between commas or line ends. */
export function list(words: string): string[] {
  return words
    .split(/[,\n]/)
    .map((phrase) => phrase.trim())
    .filter((phrase) => phrase !== "");
}

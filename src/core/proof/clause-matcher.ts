/**
 * Tells whether a clause is only an acknowledgement or a promise in one language. Phrases of the language must cover
 * the clause from its first word to its last: some that may come before, one that acknowledges or promises, some that
 * may follow. Any uncovered word says something. After a promise, its object may be anything. Pure.
 */
import type { Phrases } from "./phrases/phrases.ts";

/** `companion`: accompanies an acknowledgement; alone, it may be an answer. */
export type ClauseKind = "acknowledgement" | "promise" | "companion" | null;
/** `goesOn`: after a promise, whose verb may continue without its first words: "I'll check it" + "then fix it". */
export type ClauseMatcher = (clause: Clause, goesOn: boolean) => ClauseKind;

/** A clause in the units of languages with and without spaces between words, split once for all of them. */
export type Clause = { words: readonly string[]; characters: readonly string[] };

export function clauseIn(text: string): Clause {
  return { words: text.split(" "), characters: [...text.replaceAll(" ", "")] };
}

type Role = Exclude<keyof Phrases, "spaced" | "endings" | "reasons" | "states" | "assents" | "alone">;
type Entry = { words: readonly string[]; role: Role };

/** The maximum length of a promise's object, in words or characters. */
const longestObject = { words: 16, characters: 40 };

/** `normalize` is the spelling that clauses arrive in. */
export function clauseMatcher(phrases: Phrases, normalize: (text: string) => string): ClauseMatcher {
  const unitsOf = ({ words, characters }: Clause) => (phrases.spaced ? words : characters);
  const split = (text: string) => unitsOf(clauseIn(text));
  const wordsOf = (list: readonly string[]) => list.map((phrase) => split(normalize(phrase)));
  const entries = indexed(phrases, wordsOf);
  const endings = wordsOf(phrases.endings);
  const reasons = wordsOf(phrases.reasons);
  const states = wordsOf(phrases.states);
  const alone = new Set(phrases.alone.map((phrase) => split(normalize(phrase)).join(" ")));
  const firstOfAlone = new Set(phrases.alone.map((phrase) => split(normalize(phrase))[0] ?? ""));
  const longest = phrases.spaced ? longestObject.words : longestObject.characters;

  /** Short, and neither an explanation nor a statement. */
  const isObject = (words: readonly string[], from: number, to: number) =>
    to - from <= longest &&
    !states.some((phrase) => standsAt(words, phrase, from)) &&
    !reasons.some((phrase) => words.some((_, place) => place >= from && place < to && standsAt(words, phrase, place)));

  const endsInPromise = (words: readonly string[]) =>
    endings.some((phrase) => {
      const place = words.length - phrase.length;
      return place >= 0 && standsAt(words, phrase, place) && isObject(words, 0, place);
    });

  const cover = (words: readonly string[], from: "nothing" | "will"): "acknowledgement" | "promise" | null => {
    const seen = new Set<string>();
    let acknowledges = false;
    const open: { place: number; after: "nothing" | "head" | "will" }[] = [{ place: 0, after: from }];
    for (let step = open.pop(); step; step = open.pop()) {
      const { place, after } = step;
      if (place === words.length) {
        acknowledges ||= after === "head";
        continue;
      }
      if (seen.has(`${place} ${after}`)) continue;
      seen.add(`${place} ${after}`);
      for (const entry of entries.get(words[place] ?? "") ?? []) {
        if (!standsAt(words, entry.words, place)) continue;
        const next = place + entry.words.length;
        const isVerb = entry.role === "verbs" || (entry.role === "objects" && from === "nothing");
        const isPromise = entry.role === "open" || (isVerb && after === "will");
        const isStatement = entry.role === "open" && states.some((phrase) => standsAt(words, phrase, next + 1));
        if (isPromise && !isStatement && isObject(words, next, words.length)) return "promise";
        const state = afterEntry(entry.role, after);
        if (state !== null) open.push({ place: next, after: state });
      }
    }
    return acknowledges ? "acknowledgement" : null;
  };

  return (clause, goesOn) => {
    const words = unitsOf(clause);
    // Most clauses are not in this language, and none of its phrases starts with their first word.
    const isKnown = entries.has(words[0] ?? "") || firstOfAlone.has(words[0] ?? "");
    if (!isKnown) return endsInPromise(words) ? "promise" : null;
    if (alone.has(words.join(" "))) return "acknowledgement";
    const covered = cover(words, "nothing") ?? (goesOn ? cover(words, "will") : null);
    if (covered !== null) return covered;
    if (endsInPromise(words)) return "promise";
    return isAll(words, entries, "companions") ? "companion" : null;
  };
}

function afterEntry(role: Role, after: "nothing" | "head" | "will"): "nothing" | "head" | "will" | null {
  switch (role) {
    case "says":
      return after === "will" ? null : "head";
    case "will":
      return "will";
    case "before":
    case "companions":
      return after;
    case "after":
      return after === "head" ? "head" : null;
    case "verbs":
      return after === "nothing" ? null : "head";
    case "open":
    case "objects":
      return null;
    default:
      return role satisfies never;
  }
}

/** Only phrases of one role. */
function isAll(words: readonly string[], entries: ReadonlyMap<string, readonly Entry[]>, role: Role): boolean {
  const reached = new Set([0]);
  for (let place = 0; place < words.length; place += 1) {
    if (!reached.has(place)) continue;
    for (const entry of entries.get(words[place] ?? "") ?? []) {
      if (entry.role === role && standsAt(words, entry.words, place)) reached.add(place + entry.words.length);
    }
  }
  return words.length > 0 && reached.has(words.length);
}

function standsAt(words: readonly string[], phrase: readonly string[], place: number): boolean {
  return phrase.length > 0 && phrase.every((word, index) => words[place + index] === word);
}

/** Indexed by first word. */
function indexed(phrases: Phrases, wordsOf: (list: readonly string[]) => (readonly string[])[]): Map<string, Entry[]> {
  const roles: readonly Role[] = ["says", "will", "verbs", "objects", "open", "before", "after", "companions"];
  const found = new Map<string, Entry[]>();
  for (const role of roles) {
    for (const words of wordsOf(phrases[role])) {
      const first = words[0] ?? "";
      found.set(first, [...(found.get(first) ?? []), { words, role }]);
    }
  }
  return found;
}

/**
 * Tells a bare acknowledgement ("Got it, will do") from an answer, in any of the languages in `phrases/`. It is the
 * last check, after all structural ones. A false positive asks an agent twice, so a text counts only if every clause
 * is an acknowledgement or a promise; a single clause that says something else makes it an answer.
 */
import { cleanText } from "../transcript/clean-text.ts";
import { languages } from "./phrases/languages.ts";
import type { Phrases } from "./phrases/phrases.ts";

export type Substance = "empty" | "acknowledgement" | "uncertain" | "substance";

/** The maximum length of a promise's object, in words or characters. */
const longestObject = { words: 16, characters: 40 };

/** A longer text says something. */
const longestAcknowledgement = 700;

// Before a comma an assent agrees to what follows; as its own sentence it is an answer.
const assent = new RegExp(
  `(^|\\n)\\s*(?:${languages
    .flatMap((one) => one.assents.map(normalize))
    .sort((one, other) => other.length - one.length)
    .join("|")})\\s*[,，、]\\s*(?=\\S)`,
  "gu",
);

const matchers = languages.map((phrases) => clauseMatcher(phrases, normalize));

// A question, a number, code, a path or a link: the text says something.
const concrete = /[?？؟`\d\ue000]/u;
// Of the symbols that are sent alone, these only nod. A cross or a flag may be the answer.
const nods = /^[👍👌🙏🫡💪🚀👀🙂😊🤝🙌✌👏🤙🫶🔥⏳⌛🏃🔍🔎🛠💯✅✔☑🆗🤔🎉]+$/u;

const judged = new Map<string, Substance>();
const maxJudged = 100;

/**
 * `request` is the message being answered, if known: repeating it says nothing new. Several rules judge the same text
 * within one decision, so the newest judgements are cached.
 */
export function judgeSubstance(text: string, request: string | null = null): Substance {
  if (text.length > longestAcknowledgement) return judge(text, request);
  const key = `${text}\0${request ?? ""}`;
  const known = judged.get(key) ?? judge(text, request);
  if (judged.size >= maxJudged) judged.clear();
  judged.set(key, known);
  return known;
}

function judge(text: string, request: string | null): Substance {
  const cleaned = text.length > 4 * longestAcknowledgement ? text : cleanText(text);
  if (cleaned.trim() === "") return "empty";
  if (cleaned.length > longestAcknowledgement) return "substance";
  const plain = marked(ownLines(cleaned));
  const clauses = clausesOf(plain);
  if (clauses.length === 0) return judgeSigns(cleaned);
  if (/[?？؟]/u.test(plain)) return "substance";
  const kinds = kindsOf(clauses, request);
  const says = kinds.filter((kind) => kind === null).length;
  if (says === 0) return kinds.includes("acknowledgement") ? "acknowledgement" : "uncertain";
  if (concrete.test(plain)) return "substance";
  return says < kinds.length ? "uncertain" : "substance";
}

/** Whether judging a text requires its message: part of it acknowledges, or it consists only of symbols. */
export function dependsOnRequest(text: string): boolean {
  if (text.length > longestAcknowledgement) return false;
  const clauses = clausesOf(marked(ownLines(text)));
  return clauses.length === 0 || kindsOf(clauses, null).includes("acknowledgement");
}

/** Whether a text names something that can be looked up: a number, code, a path, a question. */
export function namesSomething(text: string): boolean {
  return judgeSubstance(text) === "substance" && (text.length > longestAcknowledgement || concrete.test(marked(text)));
}

/**
 * Whether a summary contains the answer that its text does not give. A title, an identifier or a status does not: the
 * rest must count something or ask something.
 */
export function summaryAnswers(summary: string): boolean {
  if (judgeSubstance(summary) !== "substance") return false;
  const left = normalize(summary)
    .replace(/#\w+|\b[\p{L}]{1,12}-\d+\b|\b[0-9a-f]{7,40}\b|\d+\s?%/gu, " ")
    .replace(
      /\b(?:task|ticket|issue|pr|message|msg|step|item|bug|story|card|aufgabe|tarea|tarefa|tâche|задача|завдання)s?\s*\d+/gu,
      " ",
    );
  return /[?？؟]/u.test(left) || (/\d/u.test(left) && /\p{L}{3}/u.test(left));
}

/**
 * Whether a message asked for exactly this reply: its own text contains it, in whole words, or names the symbol. If
 * the message wants something done, only words in quotation marks count.
 */
export function asksForJust(request: string, reply: string, wantsWork = false): boolean {
  if (request.length > longestRequest || reply.length > longestAcknowledgement) return false;
  const asked = wantsWork ? quotedIn(request) : request;
  const wanted = clausesOf(normalize(reply)).join(" ");
  if (wanted === "") return reply.trim() !== "" && asked.includes(reply.trim().replace(/\ufe0f/gu, ""));
  return ` ${clausesOf(normalize(asked)).join(" ")} `.includes(` ${wanted} `);
}

const longestRequest = 100 * longestAcknowledgement;

function quotedIn(text: string): string {
  return [...text.matchAll(/["'“”„«»‘’「『`]([^"'“”„«»‘’」』`\n]{1,80})["'“”«»‘’」』`]/gu)]
    .map(([, words]) => words)
    .join("\n");
}

type Kind = "acknowledgement" | "companion" | null;

/** A clause that repeats the message accompanies an acknowledgement, like a title. */
function kindsOf(clauses: readonly string[], request: string | null): Kind[] {
  const kinds: Kind[] = [];
  let goesOn = false;
  for (const clause of clauses) {
    const kind = kindOf(clause, goesOn);
    goesOn ||= kind === "promise";
    kinds.push(kind === "promise" ? "acknowledgement" : kind);
  }
  if (request === null || !kinds.includes("acknowledgement") || request.length > longestRequest) return kinds;
  const known = new Set(wordsIn(withoutMarks(request)));
  return kinds.map((kind, place) => kind ?? (repeats(clauses[place] ?? "", known, request) ? "companion" : null));
}

function kindOf(clause: string, goesOn: boolean): ClauseKind {
  // Digits typed in place of letters do not turn a word into a number.
  const spelled = clause.replace(/(?<=\p{L})[013](?=\p{L})/gu, (digit) => ({ "0": "o", "1": "l" })[digit] ?? "e");
  const units = clauseIn(spelled);
  const kinds = matchers.map((match) => match(units, goesOn));
  const order: readonly ClauseKind[] = ["promise", "acknowledgement", "companion"];
  return order.find((kind) => kinds.includes(kind)) ?? null;
}

/** If a message asks something, a word or two may be one of the choices it offered. */
const shortestRepeat = 3;

function repeats(clause: string, known: ReadonlySet<string>, request: string): boolean {
  const words = wordsIn(clause);
  if (words.length === 0 || !words.every((word) => known.has(word))) return false;
  return words.length >= shortestRepeat || !/[?？؟]/u.test(request);
}

function wordsIn(text: string): string[] {
  return normalize(text).match(/[\p{L}\p{N}\ue000]+/gu) ?? [];
}

/** Quoted lines and headings are left out if there are other lines. */
function ownLines(text: string): string {
  const lines = text.split("\n");
  const own = lines.filter((line) => !/^\s*(?:>|#{1,6}\s)/.test(line) && line.trim() !== "");
  return (own.length > 0 ? own : lines.map((line) => line.replace(/^[\s>#]+/, ""))).join("\n");
}

/** One spelling, with a placeholder for code, paths and links, which are neither words nor the end of a clause. */
function marked(text: string): string {
  const spoken = withoutMarks(text)
    .replace(/^\s*(?:[-*+•‣◦]\s+|\(?\d{1,2}[.):]\s+|[a-z][.)]\s+)+/gim, "")
    .replace(/^\s*@[\p{L}\p{N}_-]+[,:]?\s+/gmu, "");
  return normalize(spoken).replace(assent, "$1");
}

/** Plain words in code marks stay words; other code, paths, links and identifiers become a placeholder. */
function withoutMarks(text: string): string {
  return text
    .replace(/(?<=\p{L})[`´](?=\p{L})/gu, "'")
    .replace(/`+([^`]+)`+/g, (_, code: string) => (/^\s*\p{L}+\s*$/u.test(code) ? ` ${code} ` : ` ${nameSign(code)} `))
    .replace(
      /https?:\S+|[\p{L}\p{N}]+-\p{N}+|#\p{N}+|(?<!\S)[^\s\ue000]*(?:[\p{L}\p{N}][/\\:#_=.]|[/~])[\p{L}\p{N}][^\s\ue000]*/gu,
      (word) => (isName(word) ? ` ${nameSign(word)} ` : word),
    );
}

/** The same name gets the same placeholder, so that a repetition is recognised. */
function nameSign(name: string): string {
  const letters = name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");
  return `\ue000${letters}`;
}

/** A path, a link, an identifier; not two words with a missing space. */
function isName(word: string): boolean {
  if (/^https?:|[/\\#_=~]|\d/.test(word)) return /[\p{L}\p{N}]/u.test(word);
  return (
    /[\p{L}\p{N}-]\.[a-z]{1,5}[.,;:!)]*$/u.test(word) && !/\.(?:i|we|will|on|ok|got|thx|let)[.,;:!)]*$/iu.test(word)
  );
}

/** Split at every character that is not a letter, a digit, or an apostrophe or hyphen inside a word. */
function clausesOf(plain: string): readonly string[] {
  return plain
    .split(/\n|(?![-'\ue000_])[\p{P}\p{S}]|(?<![\p{L}\p{N}])['-]|['-](?![\p{L}\p{N}])|\s_\s/u)
    .map((clause) => clause.replace(/\s+/gu, " ").trim())
    .filter((clause) => /[\p{L}\p{N}\ue000]/u.test(clause));
}

function judgeSigns(text: string): Substance {
  // An empty list or an empty string is a value.
  if (/^[[\]{}()"'<>\s]+$/u.test(text)) return "substance";
  const signs = text.replace(/[\s\p{Cf}\p{M}\p{Emoji_Modifier}]/gu, "");
  const pictures = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(signs);
  return pictures && !nods.test(signs) ? "uncertain" : "acknowledgement";
}

/** Compatibility forms and accents folded, one kind of apostrophe, lower case. */
function normalize(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u2018\u2019\u201b\u02bc\u00b4\uff07`]/gu, "'")
    .replace(/ё/gu, "е")
    .normalize("NFD")
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, "")
    .normalize("NFC")
    .replace(/ı/gu, "i")
    .replace(/ł/gu, "l")
    .replace(/\p{Cf}|\ufe0e|\ufe0f|\u20e3/gu, "")
    .replace(/[^\S\n]+/gu, " ")
    .trim();
}

/** `companion`: accompanies an acknowledgement; alone, it may be an answer. */
type ClauseKind = "acknowledgement" | "promise" | "companion" | null;
/** `goesOn`: after a promise, whose verb may continue without its first words: "I'll check it" + "then fix it". */
type ClauseMatcher = (clause: Clause, goesOn: boolean) => ClauseKind;

/** A clause in the units of languages with and without spaces between words, split once for all of them. */
type Clause = { words: readonly string[]; characters: readonly string[] };

function clauseIn(text: string): Clause {
  return { words: text.split(" "), characters: [...text.replaceAll(" ", "")] };
}

type Role = Exclude<keyof Phrases, "spaced" | "endings" | "reasons" | "states" | "assents" | "alone">;
type Entry = { words: readonly string[]; role: Role };

/**
 * Matches clauses that are only an acknowledgement or a promise in one language. Phrases of the language must cover
 * the clause from its first word to its last: some that may come before, one that acknowledges or promises, some that
 * may follow. Any uncovered word says something. After a promise, its object may be anything. `normalize` is the
 * spelling that clauses arrive in.
 */
function clauseMatcher(phrases: Phrases, normalize: (text: string) => string): ClauseMatcher {
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

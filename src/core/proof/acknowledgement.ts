/**
 * Tells a bare acknowledgement ("Got it, will do") from an answer, in any of the languages in `phrases/`. The last guard,
 * after everything that structure can tell. A false alarm asks an agent twice, so only a text counts whose every clause
 * is an acknowledgement or a promise; a single clause that says something else makes it an answer.
 */
import { cleanText } from "../transcript/clean-text.ts";
import { clauseMatcher } from "./clause-matcher.ts";
import { languages } from "./phrases/languages.ts";

export type Substance = "empty" | "acknowledgement" | "uncertain" | "substance";

/** What is longer says something. */
const longestAcknowledgement = 700;

const matchers = languages.map((phrases) => clauseMatcher(phrases, normalize));

// A question, a number, code, a path, a link: somebody has something to say.
const concrete = /[?？؟`\d\ue000]/u;
// Of the signs that are sent alone, these only nod. A cross or a tick may be the answer.
const nods = /^[👍👌🙏🫡💪🚀👀🙂😊🤝🙌✌👏🤙🫶🔥⏳⌛🏃🔍🔎🛠💯]+$/u;

export function judgeSubstance(text: string): Substance {
  const cleaned = text.length > 4 * longestAcknowledgement ? text : cleanText(text);
  if (cleaned.trim() === "") return "empty";
  if (cleaned.length > longestAcknowledgement) return "substance";
  const plain = marked(withoutQuotes(cleaned));
  const clauses = clausesOf(plain);
  if (clauses.length === 0) return judgeSigns(cleaned);
  if (/[?？؟]/u.test(plain)) return "substance";
  const kinds = clauses.map(kindOf);
  const says = kinds.filter((kind) => kind === null).length;
  if (says === 0) return kinds.includes("acknowledgement") ? "acknowledgement" : "uncertain";
  if (concrete.test(plain)) return "substance";
  return says < kinds.length ? "uncertain" : "substance";
}

/** Whether a text names something that can be looked up: a number, code, a path, a question. */
export function namesSomething(text: string): boolean {
  return judgeSubstance(text) === "substance" && (text.length > longestAcknowledgement || concrete.test(marked(text)));
}

/**
 * Whether a summary holds the answer that its text does not give. A title, an identifier or a status does not: what is
 * left without them must count something or ask something.
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

/** Whether a message's own text contains what was replied, in whole words: then it asked for just that. */
export function asksForJust(request: string, reply: string): boolean {
  const wanted = clausesOf(normalize(reply)).join(" ");
  if (wanted === "" || request.length > 100 * longestAcknowledgement) return false;
  return ` ${clausesOf(normalize(request)).join(" ")} `.includes(` ${wanted} `);
}

function kindOf(clause: string): "acknowledgement" | "companion" | null {
  const kinds = matchers.map((match) => match(clause));
  if (kinds.includes("acknowledgement")) return "acknowledgement";
  return kinds.includes("companion") ? "companion" : null;
}

/** Lines that quote somebody are left out where there are others. */
function withoutQuotes(text: string): string {
  const lines = text.split("\n");
  const own = lines.filter((line) => !/^\s*>/.test(line) && line.trim() !== "");
  return (own.length > 0 ? own : lines.map((line) => line.replace(/^[\s>]+/, ""))).join("\n");
}

/** One spelling, with a sign in the place of code, paths and links, which are no words and no ends of clauses. */
function marked(text: string): string {
  const named = text
    .replace(/(?<=\p{L})[`´](?=\p{L})/gu, "'")
    .replace(/`+[^`]+`+/g, " \ue000 ")
    .replace(/^\s*(?:[-*+•‣◦]\s+|\(?\d{1,2}[.):]\s+|[a-z][.)]\s+)+/gim, "")
    .replace(/https?:\S+|(?<!\S)[^\s\ue000]*(?:[\p{L}\p{N}][/\\:@#_=.]|[/#~@])[\p{L}\p{N}][^\s\ue000]*/gu, (word) =>
      isName(word) ? " \ue000 " : word,
    );
  return normalize(named);
}

/** A path, a link, an identifier; not two words that nobody put a space between. */
function isName(word: string): boolean {
  if (/^https?:|[/\\@#_=~]|\d/.test(word)) return /[\p{L}\p{N}]/u.test(word);
  return (
    /[\p{L}\p{N}-]\.[a-z]{1,5}[.,;:!)]*$/u.test(word) && !/\.(?:i|we|will|on|ok|got|thx|let)[.,;:!)]*$/iu.test(word)
  );
}

/** Split at every sign that is no letter, digit or apostrophe inside a word. */
function clausesOf(plain: string): readonly string[] {
  return plain
    .split(/\n|(?![-'\ue000_])[\p{P}\p{S}]|(?<!\p{L})['-]|['-](?!\p{L})|\s_\s/u)
    .map((clause) => clause.replace(/\s+/gu, " ").trim())
    .filter((clause) => /[\p{L}\p{N}\ue000]/u.test(clause));
}

function judgeSigns(text: string): Substance {
  const signs = text.replace(/[\s\p{Cf}\p{M}\p{Emoji_Modifier}]/gu, "");
  const pictures = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(signs);
  return pictures && !nods.test(signs) ? "uncertain" : "acknowledgement";
}

/** Compatibility forms and letters with marks folded, one kind of apostrophe, lower case. */
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

/**
 * Tells a bare acknowledgement ("Got it, will do") from an answer. Narrow on purpose: a false alarm asks an agent
 * twice, so only a short text made of nothing but known phrases counts, and what is uncertain passes.
 */

export type Substance = "empty" | "acknowledgement" | "uncertain" | "substance";

const longestAcknowledgement = 120;

const later =
  "(?: (?:now|right now|right away|shortly|soon|asap|immediately|first|today|in a (?:moment|minute|bit)|straight away))?";
const it =
  "(?: (?:it|this|that|them|on it|on this|into it|into this|into that|at it|at this|at that|the (?:task|request|message|issue|ticket)))?";
const report =
  "(?: and (?:get back to you|report back|let you know|follow up|come back to you|reply|respond|update you))?";
const will = "(?:i(?:'ll| will|'m going to| am going to)|we(?:'ll| will)|let me|going to|will|gonna)";
const verb =
  "(?:check|look|take a look|have a look|do|do so|get|get started|start|begin|work|handle|take care of|investigate|dig|see|review|try|get back to you|report back|let you know|follow up|keep you posted)";
const doing =
  "(?:working|looking|checking|starting|investigating|digging|reviewing|getting started|handling|taking a look|taking care of)";

const phrases = [
  "(?:i(?:'ve)? )?(?:understood|understand|got it|gotcha|noted|acknowledged|received|copy|copy that|copied|roger|roger that|ack)",
  "message (?:received|understood)|(?:thanks|thank you|thx)(?: (?:for (?:the|your|this) (?:message|update|info|heads up|task|request)|a lot|very much|so much))?",
  "(?:ok|okay|okey|k|kk|sure|sure thing|alright|all right|right|certainly|absolutely|of course|no problem|np|sounds good|great|perfect|good|fine|yep|will do so|aye|aye aye|you got it|happy to(?: help)?|with pleasure|consider it done)",
  `${will} ${verb}${it}${later}${report}`,
  `(?:i'm |i am |we're |we are |now |currently |already )*(?:on it|${doing})${it}${later}${report}`,
  "(?:will|would) do|on my way|stand by|standing by|one moment(?: please)?|just a (?:moment|sec|second|minute)|hold on|bear with me|please wait",
  "(?:я )?(?:понял|поняла|понятно|ок|окей|хорошо|ладно|ясно|принял|приняла|принято|сделаю|разберусь|посмотрю|проверю|займусь|начинаю|приступаю|работаю(?: над (?:этим|задачей))?|сейчас(?: (?:посмотрю|проверю|сделаю|разберусь|займусь))?|уже (?:смотрю|делаю|занимаюсь)|спасибо|угу|ага)",
];
const acknowledgement = new RegExp(`^(?:${phrases.join("|")})$`, "u");

// A question, a number, code, a path, a link or a word for trouble: somebody has something to say.
const concrete =
  /[?？`\d]|\b[\w-]+\.[a-z]{1,5}\b|(?:^|\s)\.{0,2}\/\w|https?:|#\w|\b(?:error|fail|failed|failing|failure|block|blocked|blocker|cannot|can't|couldn't|unable|missing|denied|done|finished|fixed|complete|completed|because)|ошибк|не могу|готово|сделано/u;

export function judgeSubstance(text: string): Substance {
  const plain = normalize(text);
  if (plain === "") return text.trim() === "" ? "empty" : "acknowledgement";
  if (plain.length > longestAcknowledgement) return "substance";
  const clauses = plain
    .split(/[.!,;:…\n]+|\s[-–—]+\s|\s(?:and|then|so)\s(?=(?:i'll|i will|i'm|let me|will)\b)/u)
    .map((clause) => clause.trim().replace(/^(?:and|then|so|и)\s+/u, ""))
    .filter((clause) => clause !== "");
  const rest = clauses.filter((clause) => !acknowledgement.test(clause));
  if (rest.length === 0) return "acknowledgement";
  if (concrete.test(plain)) return "substance";
  return rest.length < clauses.length || startsLikePromise(rest) ? "uncertain" : "substance";
}

/** Whether a text names something: a number, a path, a result, a question, an obstacle. */
export function isConcrete(text: string): boolean {
  return concrete.test(normalize(text));
}

function startsLikePromise(clauses: readonly string[]): boolean {
  const promise = new RegExp(`^(?:${will} ${verb}|i'm on|${doing})\\b`, "u");
  return clauses.every((clause) => promise.test(clause));
}

/** One spelling: compatibility forms folded, one kind of apostrophe, no emoji, no punctuation around words. */
function normalize(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u2018\u2019\u201b\u02bc\u00b4\uff07]/gu, "'")
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/gu, " ")
    .replace(/\p{Cf}|\ufe0e|\ufe0f|\u20e3/gu, "")
    .replace(/["“”«»*_~()[\]]/gu, " ")
    .replace(/[^\S\n]+/gu, " ")
    .trim();
}

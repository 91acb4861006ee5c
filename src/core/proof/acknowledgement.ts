/**
 * Tells a bare acknowledgement ("Got it, will do") from an answer. Narrow on purpose: a false alarm asks an agent
 * twice, so only a short text made of nothing but known phrases counts, and what is uncertain passes.
 */

export type Substance = "empty" | "acknowledgement" | "uncertain" | "substance";

const longestAcknowledgement = 120;

const thing = "(?:it|this|that|them|(?:the|this|that|your) (?:task|request|message|issue|ticket|assignment))";
const it = `(?: (?:on|into|at|with) ${thing}| ${thing}(?: up| out)?)?(?: for you)?`;
const later =
  "(?: (?:now|right now|right away|shortly|soon|asap|immediately|first|today|in a (?:moment|minute|bit)|straight away))?";
const outcome = "(?: with (?:(?:an?|the|my) )?(?:updates?|results?|answer|status|status update|findings|details))?";
const whenDone =
  "(?: (?:when|once|as soon as) (?:(?:it's|it is|i'm|i am|that's) )?(?:done|finished|complete|ready|i have (?:an update|something|results|the results|more)))?";
const tail = `${later}${outcome}${later}${whenDone}`;
const report =
  "(?:get back to you|report back|report|let you know|follow up|come back to you|reply|respond|update you|keep you (?:posted|updated))";
const will = "(?:i(?:[' ]?ll| will|'m going to| am going to)|we(?:[' ]ll| will)|let me|going to|will|gonna)";
const verb = `(?:check|look|take a look|have a look|do|do so|get|get right|get started|get to work|start|start working|begin|work|be working|be looking|handle|take care of|investigate|dig|see|review|try|fix|implement|address|tackle|pick|sort|jump|proceed|comply|${report})`;
const doing =
  "(?:on (?:it|this|that)|working|looking|checking|starting|investigating|digging|reviewing|getting started|getting to work|getting right|handling|proceeding|taking a look|taking care of)";
const andReport = `(?: (?:and|to) (?:then )?${report}${tail})?`;

const phrases = [
  `(?:i(?:'ve| have)? )?(?:(?:understood|understand|noted|acknowledged?|received|copy|copied)(?: ${thing})?|got ${thing}|gotcha|roger(?: that)?|ack)`,
  "(?:message|request|task) (?:received|understood|acknowledged|noted)",
  "(?:many )?(?:thanks|thank you|thx)(?: (?:for (?:the|your|this) (?:message|update|info|heads[ -]up|task|request|context|note)|for letting me know|a lot|very much|so much))?",
  "ok|okay|okey|okey dokey|k|kk|sure|sure thing|alright|all right|aye|aye aye|you got it|happy to(?: help)?|with pleasure|consider it done",
  `${will} ${verb}${it}${tail}${andReport}`,
  `(?:(?:i'm|im|i am|we're|we are|now|currently|already) )*${doing}${it}${tail}${andReport}`,
  "would do|on my way|stand by|standing by|one moment(?: please)?|just a (?:moment|sec|second|minute)|hold on|bear with me|please wait",
  "(?:(?:я|все|сейчас|уже|сразу) )*(?:понял|поняла|понятно|принял|приняла|принято|сделаю|делаю|разберусь|разбираюсь|посмотрю|смотрю|гляну|проверю|проверяю|займусь|занимаюсь|начинаю|приступаю|приступлю|работаю|беру|взял|взяла|учту)" +
    "(?: (?:это|этим|задачей|задачу|вас|тебя|над (?:этим|задачей)))?(?: (?:в работу|к работе|к выполнению|к сведению))?(?: (?:сейчас|прямо сейчас|скоро))?" +
    "(?: и (?:отвечу|сообщу|напишу|отпишусь|вернусь|дам знать))?",
  "ок|окей|хорошо|ладно|ясно|спасибо|угу|ага|сейчас|секунду|минуту|минутку",
];
const acknowledgement = new RegExp(`^(?:${phrases.join("|")})$`, "u");

// These go along with an acknowledgement, but alone they may well answer a question ("How is the build?").
const companion =
  /^(?:right|certainly|absolutely|definitely|of course|no problem|np|sounds good|great|perfect|excellent|good|fine|cool|конечно|отлично|без проблем)$/u;

// A question, a number, code, a path, a link or a word for trouble or success: somebody has something to say.
const concrete =
  /[?？`\d]|[\w-]\.[a-z]{1,5}\b|(?:^|\s)\.{0,2}\/\w|https?:|#\w|\b(?:error|fail|failed|failing|failure|block|blocked|blocker|cannot|can't|couldn't|unable|missing|denied|done|finished|fixed|complete|completed|because)|ошибк|не могу|не удал|не получ|нет доступа|готово|сделано|исправлен|исправил/u;

// Of the signs that are sent alone, these only nod. A cross or a tick may be the answer.
const nods = /^[👍👌🙏🫡💪🚀👀🙂😊🤝🙌]+$/u;

export function judgeSubstance(text: string): Substance {
  const plain = normalize(text);
  if (plain === "") return judgeSigns(text);
  if (plain.length > longestAcknowledgement) return "substance";
  const clauses = clausesOf(plain);
  const rest = clauses.filter((clause) => !acknowledgement.test(clause) && !companion.test(clause));
  if (rest.length === 0) {
    return clauses.length > 0 && clauses.every((clause) => companion.test(clause)) ? "uncertain" : "acknowledgement";
  }
  if (concrete.test(plain)) return "substance";
  return rest.length < clauses.length || rest.every((clause) => promise.test(clause)) ? "uncertain" : "substance";
}

/** Whether a text names something: a number, a path, a result, a question, an obstacle. */
export function isConcrete(text: string): boolean {
  return judgeSubstance(text) === "substance" && concrete.test(normalize(text));
}

const promise = new RegExp(`^(?:${will} ${verb}|i'm on|${doing})\\b`, "u");

function clausesOf(plain: string): readonly string[] {
  return plain
    .split(
      /[.!,;:…\n]+|\s*[–—]+\s*|\s-+\s|\s(?:and|then|so)\s(?=(?:i'll|i will|i'm|i am|let me|will|working|looking|checking)\b)/u,
    )
    .map((clause) => clause.trim().replace(/^(?:[-•]\s*|(?:and|then|so|и)\s+)/u, ""))
    .filter((clause) => clause !== "");
}

function judgeSigns(text: string): Substance {
  if (text.trim() === "") return "empty";
  const signs = text.replace(/[\s\p{Cf}\p{M}\p{Emoji_Modifier}]/gu, "");
  const pictures = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u.test(signs);
  return pictures && !nods.test(signs) ? "uncertain" : "acknowledgement";
}

/** One spelling: compatibility forms folded, one kind of apostrophe, no emoji, no punctuation around words. */
function normalize(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u2018\u2019\u201b\u02bc\u00b4\uff07]|(?<=\p{L})`(?=\p{L})/gu, "'")
    .replace(/ё/gu, "е")
    .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}/gu, " ")
    .replace(/\p{Cf}|\ufe0e|\ufe0f|\u20e3/gu, "")
    .replace(/["“”«»*_~()[\]]/gu, " ")
    .replace(/[^\S\n]+/gu, " ")
    .trim();
}

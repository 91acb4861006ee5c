/**
 * Recognises a text that is only a provider's error, as programs print it in place of an answer. An agent may well
 * write about such errors: only a short notice whose every sentence is a provider's counts, or the JSON of an error
 * with nothing around it. If a message asks about errors, such a text may be its answer. Pure.
 */
import type { ProviderError } from "./provider-error.ts";
import { providerErrorOf } from "./provider-error.ts";

const longestNotice = 1200;

/** Every provider error contains one of these words, and most answers contain none: a cheap first check. */
export const mayBeNotice =
  /error|exception|exceed|limit|quota|credit|balance|billing|token|api|auth|key|denied|forbidden|overload|unavailable|server|provider|model|endpoint|deployment|support|memory|process|too (?:long|large|many)|connect|econn|time|gateway|http|login|account|organi|[45]\d\d|\p{Script=Han}/iu;

export function providerErrorAsText(answer: string, request: string | null = null): ProviderError | null {
  const text = pageTitle(answer.trim()) ?? answer.trim();
  if (text === "" || text.length > longestNotice || namesCode(text)) return null;
  const { status, rest, isError } = withoutHead(text.replaceAll("`", ""));
  const body = errorBody(rest);
  // Any other error is one of the connection, which also passes on its own, like overload.
  if (body !== null) return providerErrorOf({ ...body, status: body.status ?? status ?? undefined }) ?? "overloaded";
  const plain = rest.toLowerCase().replaceAll("’", "'");
  const sentences = sentencesOf(plain);
  const asked = request !== null && asksAboutErrors.test(request.toLowerCase());
  if (asked && !isSpecific(plain) && text === answer.trim()) return null;
  if (sentences.length === 0 && status === null) return null;
  const [first = ""] = sentences;
  const begins = isError ? isAboutProvider(first) || isWorded(first) : isWorded(first);
  const isNotice = sentences.every((sentence) => isWorded(sentence) || isTail(sentence) || isAboutProvider(sentence));
  if (!isNotice || (sentences.length > 0 && !begins)) return null;
  return providerErrorOf({ message: plain, status: status ?? undefined }) ?? "overloaded";
}

/** The title of an HTML page that a gateway sent in place of an answer. */
function pageTitle(text: string): string | null {
  if (!/^<(?:!doctype|html|head)\b/i.test(text)) return null;
  const title = /<title>([^<]{1,200})<\/title>/i.exec(text)?.[1] ?? /<h1>([^<]{1,200})<\/h1>/i.exec(text)?.[1];
  return title?.trim() ?? null;
}

// "API Error: 429", "Error code: 401 - ", "HTTP 503:", "litellm.RateLimitError: RateLimitError: OpenAIException - ".
const head =
  /^[^\p{L}\p{N}{(]*(?:(?:sorry,? )?(?:[\w.-]{1,30} ){0,2}(?:error|exception|failed|failure)(?: (?:code|status|message|from (?:the )?(?:api|provider|model|server)|(?:fetching|calling|requesting|invoking)(?: from)? \S{1,200}?))?|[\w.]{0,60}(?:error|exception)|http(?:\/\d\.\d)?|status(?: code)?|request failed with status(?: code)?|code|an error occurred|unexpected (?:api )?(?:error|response))\]?\s*[:=\-–—(]+\s*/iu;
const errorBeforeStatus =
  /^[^\p{L}\p{N}{(]*(?:[\w.-]{1,30} ){0,2}(?:error|exception|http|status|code|failed|status code)\s+(?=[45]\d\d\b)/iu;
const statusCode =
  /^[\s[(]*([45]\d\d)\b(?:\s(?:bad request|unauthorized|payment required|forbidden|not found|too many requests|internal server error|bad gateway|service unavailable|gateway timeout)(?=\]))?[\])]?\s*[:\-–—,]*\s*["']?/iu;

/** The text after the words that mark it as an error, and the HTTP status if it is named. */
function withoutHead(text: string): { status: number | null; rest: string; isError: boolean } {
  let rest = text;
  let status: number | null = null;
  let isError = false;
  for (let step = 0; step < 6; step += 1) {
    const code = statusCode.exec(rest);
    const [named = ""] = code ?? errorBeforeStatus.exec(rest) ?? head.exec(rest) ?? [];
    if (named === "") break;
    if (code) status ??= Number(code[1]);
    isError = true;
    rest = rest.slice(named.length);
  }
  return { status, rest: isError ? rest.trim() : text, isError };
}

type Body = { message: string; name: string; status: number | undefined };

/** `{"error":{"type","message","code"}}` and its variants, with nothing after them. */
function errorBody(text: string): Body | null {
  const start = /^[^{[\n]{0,120}?(?=[{[])/.exec(text)?.[0].length ?? 0;
  const json = text.slice(start).replace(/\s*\(?request[_ ]id:?[^)}]*\)?\s*$/i, "");
  if (!/^[{[]/.test(json)) return null;
  try {
    const parsed: unknown = JSON.parse(json);
    return bodyOf(Array.isArray(parsed) ? parsed[0] : parsed);
  } catch {
    return bodyOfPython(json);
  }
}

const errorKeys = new Set([
  "message",
  "request_id",
  "requestId",
  "code",
  "type",
  "object",
  "param",
  "status",
  "error",
  "detail",
]);

function bodyOf(value: unknown): Body | null {
  if (typeof value !== "object" || value === null) return null;
  const { error, message, detail, type, code, status, errors, msg, error_msg } = value as Record<string, unknown>;
  if (typeof error === "object" && error !== null) return bodyOf({ type: "error", ...error });
  if (Array.isArray(errors)) return bodyOf({ type: "error", ...(errors[0] as object) });
  const words = [error, message, detail, msg, error_msg].filter((one) => typeof one === "string");
  const isBare = Object.keys(value).every((key) => errorKeys.has(key)) && providerErrorOf({ message: words.join(" ") });
  const isError =
    Boolean(isBare) ||
    typeof error === "string" ||
    type === "error" ||
    /error|exhausted|denied|quota/i.test(`${type}${status}`) ||
    code !== undefined ||
    detail !== undefined;
  if (!isError || words.length === 0) return null;
  const number = [code, status].map(Number).find((one) => one >= 400 && one < 600);
  const name = [type, status, code].find(
    (one) => typeof one === "string" && one !== "error" && Number.isNaN(Number(one)),
  );
  return { message: words.join(" "), name: String(name ?? ""), status: number };
}

/** A dictionary as Python prints it. */
function bodyOfPython(json: string): Body | null {
  if (!/^\{\s*'(?:error|message|detail|type|code)'\s*:/.test(json) || !/\}\s*$/.test(json)) return null;
  const message = /'message'\s*:\s*(?:'([^']*)'|"([^"]*)")/.exec(json);
  const name = /'(?:type|code)'\s*:\s*'([^']*)'/.exec(json)?.[1] ?? "";
  const code = Number(/'code'\s*:\s*'?(\d{3})/.exec(json)?.[1]);
  return { message: message?.[1] ?? message?.[2] ?? json, name, status: code >= 400 && code < 600 ? code : undefined };
}

// A text that names a file, a route or a line of code is about the code, not about the model's own account.
const code =
  /[\w-]\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|c|h|cpp|php|sh|sql|md|ya?ml|toml|conf|env|log|txt)\b|```|(?:^|\s)\/[a-z][\w-]*(?:\/|\b(?!login))|\b(?:GET|POST|PUT|DELETE|PATCH)\s|\w\(\)|\bline \d/;

/** A text that quotes an error says something about it. */
const quotes = /^["“'«„][^"”»“]{1,400}["”'»]\s+\p{L}/u;

function namesCode(text: string): boolean {
  return quotes.test(text) || code.test(text.replace(/https?:\S+|\/login/g, ""));
}

/** A dot inside a number, a name or an address does not end a sentence. */
function sentencesOf(plain: string): string[] {
  return plain
    .split(/[.!。！]+(?=\s|$|[\p{Script=Han}])|\n+|\s[·∙•|]\s|;\s|\s[–—-]\s/u)
    .map((sentence) => sentence.trim().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N})%]+$/gu, ""))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

// The names of limits and errors, and their subjects. The length limits exclude sentences that begin with one of
// these and then continue about something else.
const you = "(?:you|you've|you have|your|this|the|our|we're|we are)";
const notices: readonly RegExp[] = [
  /^(?:requests?|tokens?|api|input|output|daily|monthly|hourly|\w+ per (?:minute|day|hour|second))?(?: \w+){0,2} ?(?:rate |token |usage |request )?limit (?:exceeded|reached)(?:\s*[|:,(].{0,160}|(?: for | on | in | by | -|;).{0,200})?$/,
  /^(?:this|your|the) (?:request|prompt|input|message)s? (?:would exceed|exceeds?|exceeded|resulted in|is too|has been blocked|was rejected)\b.{0,200}$/,
  /^you must (?:be|provide|have|verify|add|accept|agree)\b.{0,80}(?:organi[sz]ation|api|account|key|billing|payment|terms|plan)\b.{0,80}$/,
  /^you (?:don't|do not|no longer) have (?:access|permission|enough|sufficient|any)\b.{0,120}$/,
  /^(?:sorry,? )?you(?:'ve| have)? (?:hit|reached|exceeded|used)\b.{0,40}(?:limit|quota|credits?|budget)\b.{0,200}$/,
  /^(?:your|this|the) (?:team|account|organi[sz]ation|project|workspace|api key|key|plan|subscription)\b.{0,80}(?:used all|run out|suspended|disabled|deactivated|restricted|exceeded|reached|insufficient|must be verified|not verified|no access|expired)\b.{0,200}$/,
  /^(?:the )?(?:server|service|provider|model|upstream|api|gateway)(?: has| had)? (?:returned an error|returned error|had an error|an error|crashed|has crashed|not responding|did not respond|encountered an error)\b.{0,200}$/,
  /^provider returned (?:an )?error.{0,80}$/,
  /^the server had an error\b.{0,120}$/,
  /^upstream (?:connect )?error\b.{0,160}$/,
  /^access denied\b.{0,160}$|^arrearage\b.{0,120}$/,
  /^no (?:models?|deployments?|providers?|endpoints?|channels?|instances?) (?:are |is )?(?:loaded|available|found|online|configured)\b.{0,160}$/,
  /^(?:the )?model has crashed\b.{0,120}$/,
  /^model requires more (?:system )?memory\b.{0,100}$/,
  /^cannot truncate prompt\b.{0,80}$|^trying to keep the first \d+ tokens\b.{0,200}$/,
  /^[\w.-]+[/:][\w./:-]+ does not support (?:tools|images|function calling|chat|thinking|embeddings)$/,
  /^requests to the \S+ operation\b.{0,200}(?:exceeded|limit)\b.{0,200}$/,
  /^request too large\b.{0,200}$|^(?:the )?request (?:entity |body )?(?:is )?too large\b.{0,120}$/,
  /^the model ["'\w:./ -]{1,60} does not exist\b.{0,100}$/,
  /^(?:用户|账户|帐户|令牌|当前)?.{0,8}(?:额度|余额)(?:不足|已用尽).{0,60}$|^当前分组.{0,60}$|.{0,20}无可用渠道.{0,30}$/,
  /^(?:http )?(?:unauthori[sz]ed|forbidden|payment required|too many requests|service unavailable|bad gateway|gateway time-?out|internal server error|overloaded|unauthenticated|permission denied|request entity too large|payload too large)(?: error)?$/,
  /^(?:insufficient|not enough) (?:account )?(?:balance|funds|credits?|quota)(?: (?:to|for|in|on) .{0,60})?$/,
  /^(?:invalid|incorrect|missing|expired|revoked|unknown|no|wrong) (?:x-)?(?:api|access|auth(?:entication)?|bearer|oauth|authorization)[ _-]?(?:key|token|credentials?|header)(?: (?:provided|found|supplied|given|error|was provided|in request))?(?:: ?\S+)?$/,
  /^(?:the |your |this )?(?:provided )?(?:api|access|auth|oauth|bearer|authentication)[ _-]?(?:key|token|credentials?)(?: (?:you )?(?:provided|used))? (?:is|was|has|are|have|not)\b.{0,60}$/,
  /^(?:authentication|authorization) (?:failed|error|fails|required|failure)(?:,? .{0,60})?$/,
  /^(?:please )?run \/login\b.{0,40}$/,
  /^(?:you|we) (?:didn't|did not) provide an api key\b.{0,120}$/,
  /^(?:your |the )?(?:anthropic |openai )?credit balance (?:is|was) too low\b.{0,80}$/,
  /^you(?:'ve| have)? (?:exceeded|reached|hit|used up|run out of|insufficient) (?:your|the|all|any)? ?.{0,80}(?:quota|limits?|credits?|balance|budget|requests)\b.{0,120}$/,
  /^you(?:'re| are) (?:out of|being rate|sending|making|over|not allowed)\b.{0,80}$/,
  /^(?:this request requires|the request requires) more credits\b.{0,140}$/,
  /^(?:rate|request|token|usage|key|quota|api|message|session|weekly|daily|monthly|hourly|\d+-hour|free[\w -]{0,20}|concurrency|opus|sonnet|claude|claude (?:ai|code|pro|max))(?: usage| request| api| key| rate)? ?(?:limit|quota) (?:has been |was |is )?(?:exceeded|reached|hit)(?:(?:\s*[|:,(]| for | on | in | at | of | per |, please|$).{0,160})?$/,
  /^quota exceeded for (?:quota )?(?:metric|model|requests?|aiplatform|tokens?)\b.{0,200}$/,
  /^(?:the )?(?:model|server|service|engine|api|upstream|provider|system|backend|claude|gpt|gemini)\b.{0,60} (?:is |are )?(?:currently |temporarily |experiencing |at )*(?:overloaded|unavailable|busy|capacity|high demand|high load|high traffic|down)\b.{0,80}$/,
  /^(?:that|this|the) model is currently (?:overloaded|loading|unavailable|at capacity)\b.{0,80}$/,
  /^(?:we're|we are|anthropic is|openai is) (?:currently )?experiencing (?:high|heavy|elevated|unusually)\b.{0,80}$/,
  /^resource[ _](?:has been )?exhausted\b.{0,80}$/,
  /^(?:the )?(?:prompt|input|request|context|conversation|message) (?:is|was) too (?:long|large)\b.{0,120}$/,
  /^(?:this model's|the model's) maximum (?:context|input|prompt) (?:length|window|size)\b.{0,160}$/,
  /^(?:your |the )?(?:input|prompt|request|messages?)\b.{0,60}\bexceeds? (?:the |this )?.{0,40}(?:context|token|limit|maximum)\b.{0,120}$/,
  /^(?:the )?input token count\b.{0,140}$/,
  /^input length and .{0,20}max_tokens.{0,120}$/,
  /^(?:your |this |the )?(?:organi[sz]ation|account|project|workspace|team)(?: \S{1,40})? (?:has been|is|was|must be|does not|doesn't|has)\b.{0,20}(?:disabled|suspended|deactivated|restricted|blocked|banned|verified|inactive|not active|terminated|no (?:remaining )?credits?|access to|exceeded|reached|run out)\b.{0,120}$/,
  /^(?:the )?(?:budget|spend(?:ing)? limit|usage limit|usage cap)(?: for .{0,40})? (?:has been |was |is )?(?:exceeded|reached)\b.{0,120}$/,
  /^(?:no|all) (?:available |healthy |allowed )?(?:providers?|endpoints?|channels?|deployments?|instances?|upstreams?)\b.{0,100}(?:available|found|failed|unavailable|support|exhausted|matching)\b.{0,80}$/,
  /^(?:oauth )?(?:token|session|login|credentials?|subscription) (?:has |have )?(?:expired|been revoked)\b.{0,80}$/,
  /^(?:the )?(?:security token|access key|iam).{0,80}(?:invalid|expired|not authorized)\b.{0,60}$/,
  /^(?:connection|fetch|network|socket|request|upstream) (?:error|failed|refused|reset|timed out|timeout|hang up)\b.{0,80}$/,
  /^(?:econnrefused|econnreset|etimedout|enotfound)\b.{0,80}$/,
  /^(?:unable|failed|could not|cannot) (?:to )?connect to (?:the )?(?:api|anthropic|openai|ollama|model|server|provider|upstream|localhost|127\.0\.0\.1|http)\b.{0,100}$/,
  /^(?:model|the model) ["'\w:./-]{1,60} (?:not found|does not exist|is not available|is not supported|has been deprecated|not loaded)\b.{0,100}$/,
  /^llama runner process\b.{0,80}$/,
  /^(?:litellm|openai|anthropic|vertex_ai|bedrock|azure)\S*exception\b.{0,160}$/,
  /^country, region, or territory not supported$/,
  /^user location is not supported\b.{0,60}$/,
  /^.{0,12}(?:欠费|配额).{0,40}$|^(?:无效的|该)?令牌.{0,40}$|^请求过于频繁.{0,40}$/,
  new RegExp(`^${you} (?:usage |session |weekly |request |rate )?limits? (?:will )?resets?\\b.{0,60}$`),
];

// What follows a notice: advice, times, ids, addresses.
const tails: readonly RegExp[] = [
  /^[\w .-]{1,40}=\S.{0,200}$/,
  /^(?:exit code|need more|available model|received model|original error|original exception|fallbacks?)\b.{0,160}$/,
  /^(?:please )?(?:try|retry)(?: your request)?(?: again)?(?: (?:later|shortly|soon|after|in|with|once|at|when|using|your)\b.{0,80})?$/,
  /^(?:please )?(?:wait|slow down|reach out|subscribe|click|load|restart|sorry about|manage|back off|reduce|shorten|check|contact|visit|go to|see|upgrade|add|purchase|buy|top up|recharge|update|configure|pass|provide|set|use|verify|log ?in|sign in|run|select|choose|switch|consider|enable|re-?authenticate|generate|create|increase|raise|manage|ensure|make sure|refer to|read|learn more|find|view|ask)\b.{0,160}$/,
  /^you can (?:find|obtain|get|purchase|check|view|upgrade|increase|add|also|see|regain|retry|try|manage|continue)\b.{0,160}$/,
  /^(?:your |the )?(?:limits?|quota|usage|access|it|credits?) (?:will )?(?:resets?|renews?|be (?:restored|available|reset))\b.{0,80}$/,
  /^resets?\b.{0,60}$/,
  /^(?:for|to) (?:details|more|further|additional|continue|increase|learn|get|view|avoid|upgrade|resolve|use|access|request|keep)\b.{0,160}$/,
  /^(?:limit|used|requested|current|current usage|remaining|retry[- ]after|request[ _-]?id|req_\w+|trace|model|provider|status|code|type|param|quota(?: limit| metric)?|error[ _]code|ref(?:erence)?|cf-ray|url|documentation|docs|tokens?)\b[:=\s].{0,120}$/,
  /^(?:https?:|platform\.|console\.|openrouter\.ai|www\.)\S{0,200}$/,
  /^(?:help|learn more|more info|details|see)\b.{0,160}$/,
  /^(?:however|you) ?,? ?(?:you )?(?:requested|used)\b.{0,160}$/,
  /^if you (?:believe|think|need|are|have|want|continue|see)\b.{0,160}$/,
  /^(?:retrying|attempt|retry) ?(?:in|\d|#)\b.{0,60}$/,
  /^(?:this|your) (?:request|organization|account|key|model) (?:would exceed|has|is|was|requires)\b.{0,160}$/,
  /^\d[\d.,:]*\s?(?:s|sec|seconds|minutes?|hours?|ms|tokens?|am|pm|utc|requests?)?\b.{0,20}$/,
  /^(?:e\.g\.?|i\.e\.?)\b.{0,80}$/,
  /^(?:plans|billing)\b.{0,60}$/,
];

function isWorded(sentence: string): boolean {
  return !tellsAStory.test(sentence) && notices.some((pattern) => pattern.test(sentence));
}

function isTail(sentence: string): boolean {
  return !speaksAsAgent.test(sentence) && tails.some((pattern) => pattern.test(sentence));
}

/** Uses the vocabulary of providers, and no words that explain something. */
function isAboutProvider(sentence: string): boolean {
  return sentence.length <= 300 && providerWords.test(sentence) && !tellsAStory.test(sentence);
}

const speaksAsAgent =
  /(?:^|\s)(?:(?:i|i'm|i've|i'll|i'd|we've|my)\s|our (?!help|docs|documentation|support|sales|terms|status|discord|team|website|policy))/;
const tellsAStory =
  /^(?:with|from|on|in|for|after|before|at|and|then|but) |(?:^|\s)(?:i|i'm|i've|i'll|i'd|we've|our(?! help| docs| documentation| support| sales| terms| status| discord| team| website| policy)|my|is what|what you|needs|because|since|therefore|so|fixed|added|changed|removed|caused|causes|cause|comes|came|means|meant|thrown|throws|throw|raised|returns|returned by|handled|handles|handling|retries|retried|now|happens|happened|occurs|whenever|every time|during|yesterday|today|last night|tests?|job|jobs|script|pipeline|deploys?|ci|build|client|customers?|endpoint returns|function|method|helper|middleware|nginx|cron|it's|that's|which is why|looks|seems|probably|in production|in staging|we|both|twice|once|always|never|only when|only if|set to|configured|raise it|lower)(?:\s|[,:;.]|$)|是|因为|所以|导致|的时候/;
const providerWords =
  /\b(?:api|keys?|tokens?|quota|limits?|rate|organi[sz]ation|account|team|workspace|models?|requests?|credits?|balance|billing|plan|payment|budget|spend(?:ing)?|subscription|tier|server|service|providers?|upstream|gateway|endpoints?|deployments?|context|prompt|capacity|overloaded|unavailable|throttl\w*|connection|connect\w*|time-?out|timed out|memory|permission|access|login|authenticat\w*|unauthori[sz]ed|forbidden|exceeded|retry|recharge|econn\w*|enotfound|etimedout|n_ctx|n_keep)\b|额度|余额|渠道|令牌|配额|欠费|频率|限流|密钥/;

function isSpecific(text: string): boolean {
  return /openai|anthropic|claude|gpt-|gemini|openrouter|\/login|plans & billing|console|org-|org_|platform\.|quota metric|tokens per min|request id/.test(
    text,
  );
}

// A message that asks about errors, limits or responses may be answered by the name of one.
const asksAboutErrors =
  /\b(?:errors?|status|errno|http|response code|exception|return(?:s|ed)?|fail(?:s|ed|ing|ure)?|log|logs|message does|what does .{0,40} say|[45]\d\d|fehler|statuscode|erreur|échou|error(?:es)?|fallo|falla|erro|falha|errore|fallisce|fout|błąd|ошибк|помилк|hata)|错误|报错|エラー|오류|에러/u;

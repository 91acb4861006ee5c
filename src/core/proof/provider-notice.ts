/**
 * Recognises a text that is nothing but a provider's error, as programs print it where an answer should stand. Pure. An
 * agent may well write about such errors: what counts is a short notice whose every sentence is a provider's, or the
 * JSON of an error with nothing around it. A message that asks about errors is answered by one.
 */
import type { ProviderError } from "./provider-error.ts";
import { providerErrorOf } from "./provider-error.ts";

const longestNotice = 1200;

export function providerErrorAsText(answer: string, request: string | null = null): ProviderError | null {
  const text = answer.trim();
  if (text === "" || text.length > longestNotice) return null;
  const { status, rest } = withoutHead(text);
  const body = errorBody(rest);
  // What is no error of the account or of the load is one of the connection: it passes by itself, too.
  if (body !== null) return providerErrorOf({ ...body, status: body.status ?? status ?? undefined }) ?? "overloaded";
  if (hasCode(rest)) return null;
  const plain = rest.toLowerCase().replaceAll("’", "'");
  const sentences = sentencesOf(plain);
  if (sentences.length === 0)
    return status === null ? null : (providerErrorOf({ message: "", status }) ?? "overloaded");
  const asked = request !== null && asksAboutErrors.test(request.toLowerCase());
  const isNotice = sentences.every((sentence) => isNoticeSentence(sentence, asked));
  const begins = notices.some((pattern) => pattern.test(sentences[0] ?? "")) || status !== null;
  if (!isNotice || !begins) return null;
  return providerErrorOf({ message: plain, status: status ?? undefined }) ?? "overloaded";
}

// "API Error: 429", "Error code: 401 - ", "HTTP 503:", "litellm.RateLimitError: RateLimitError: OpenAIException - ".
const head =
  /^[^\p{L}\p{N}{[(]*(?:(?:(?:api|provider|model|llm|request|http|chat|stream|ai|agent|openai|anthropic|claude|gemini|ollama|bedrock|azure|openrouter|litellm|mistral|groq|deepseek|xai)[\w.]*[ -]+)?(?:error|exception|failed|failure)(?: (?:code|status|from (?:the )?(?:api|provider|model|server)))?|(?:[a-z_]+\.)*[a-z]*(?:error|exception)|http(?:\/\d\.\d)?|status(?: code)?|request failed with status(?: code)?|code|an error occurred|unexpected (?:api )?(?:error|response))\s*[:=\-–—(]*\s*/iu;
const statusCode = /^\(?([45]\d\d)\b\)?\s*[:\-–—,]*\s*/;

/** The text behind what names it as an error, and the HTTP status where that is named. */
function withoutHead(text: string): { status: number | null; rest: string } {
  let rest = text;
  let status: number | null = null;
  let isError = false;
  for (let step = 0; step < 6; step += 1) {
    const code = statusCode.exec(rest);
    if (code) {
      status ??= Number(code[1]);
      rest = rest.slice(code[0].length);
      continue;
    }
    const [named = ""] = head.exec(rest) ?? [];
    // "Error handling is done" names no error: a sign has to follow.
    if (
      named === "" ||
      !/[:=\-–—(\d]\s*$/.test(named.trimEnd() + (/^[45]\d\d\b/.test(rest.slice(named.length)) ? "0" : ""))
    )
      break;
    isError = true;
    rest = rest.slice(named.length);
  }
  return isError || status !== null ? { status, rest: rest.trim() } : { status: null, rest: text };
}

type Body = { message: string; name: string; status: number | undefined };

/** `{"error":{"type","message","code"}}` and its relatives, at the end of which nothing more is said. */
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

function bodyOf(value: unknown): Body | null {
  if (typeof value !== "object" || value === null) return null;
  const { error, message, detail, type, code, status, errors, msg, error_msg } = value as Record<string, unknown>;
  if (typeof error === "object" && error !== null) return bodyOf({ type: "error", ...error });
  if (Array.isArray(errors)) return bodyOf({ type: "error", ...(errors[0] as object) });
  const words = [error, message, detail, msg, error_msg].filter((one) => typeof one === "string");
  const isError =
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

/** As Python prints a dictionary. */
function bodyOfPython(json: string): Body | null {
  if (!/^\{\s*'(?:error|message|detail|type|code)'\s*:/.test(json) || !/\}\s*$/.test(json)) return null;
  const message = /'message'\s*:\s*(?:'([^']*)'|"([^"]*)")/.exec(json);
  const name = /'(?:type|code)'\s*:\s*'([^']*)'/.exec(json)?.[1] ?? "";
  const code = Number(/'code'\s*:\s*'?(\d{3})/.exec(json)?.[1]);
  return { message: message?.[1] ?? message?.[2] ?? json, name, status: code >= 400 && code < 600 ? code : undefined };
}

// Who names a file or writes code speaks of the code, not of the model's own account.
const fileName =
  /[\w-]\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|c|h|cpp|php|sh|sql|md|ya?ml|toml|conf|env)\b|`[^`]+`|```/;

function hasCode(text: string): boolean {
  return fileName.test(text);
}

/** A dot inside a number, a name or an address ends nothing. */
function sentencesOf(plain: string): string[] {
  return plain
    .split(/[.!。！]+(?=\s|$|[\p{Script=Han}])|\n+|\s[·∙•|]\s|;\s|\s[–—-]\s/u)
    .map((sentence) => sentence.trim().replace(/^[-–—:,\s"'*_]+|[:,\s"'*_]+$/gu, ""))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

// The names of limits and errors, and who they are about. A sentence that begins with one of these and then goes on to
// tell of something else is cut off by the length of what may follow.
const you = "(?:you|you've|you have|your|this|the|our|we're|we are)";
const notices: readonly RegExp[] = [
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
  /^(?:rate|request|token|usage|key|quota|api|message|session|weekly|daily|monthly|hourly|\d+-hour|free[\w -]{0,20}|concurrency|opus|sonnet|claude|claude (?:ai|code|pro|max))(?: usage| request| api| key| rate)? ?(?:limit|quota) (?:has been |was |is )?(?:exceeded|reached|hit)(?:(?:[|:,(]| for | on | in | at | of | per |, please|$).{0,160})?$/,
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
  /^余额不足.{0,40}$|^.{0,12}(?:欠费|额度不足|额度已用尽|配额).{0,40}$|^(?:无效的|该)?令牌.{0,40}$|^当前分组.{0,40}$|^请求过于频繁.{0,40}$/,
  new RegExp(`^${you} (?:usage |session |weekly |request |rate )?limits? (?:will )?resets?\\b.{0,60}$`),
];

// What stands behind a notice: advice, times, ids, addresses.
const tails: readonly RegExp[] = [
  /^(?:please )?(?:try|retry)(?: your request)?(?: again)?(?: (?:later|shortly|soon|after|in|with|once|at|when|using|your)\b.{0,80})?$/,
  /^(?:please )?(?:wait|slow down|back off|reduce|shorten|check|contact|visit|go to|see|upgrade|add|purchase|buy|top up|recharge|update|configure|pass|provide|set|use|verify|log ?in|sign in|run|select|choose|switch|consider|enable|re-?authenticate|generate|create|increase|raise|manage|ensure|make sure|refer to|read|learn more|find|view|ask)\b.{0,160}$/,
  /^you can (?:find|obtain|get|purchase|check|view|upgrade|increase|add|also|see|regain|retry|try|manage|continue)\b.{0,160}$/,
  /^(?:your |the )?(?:limits?|quota|usage|access|it|credits?) (?:will )?(?:resets?|renews?|be (?:restored|available|reset))\b.{0,80}$/,
  /^resets?\b.{0,60}$/,
  /^(?:for|to) (?:more|further|additional|continue|increase|learn|get|view|avoid|upgrade|resolve|use|access|request|keep)\b.{0,160}$/,
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

function isNoticeSentence(sentence: string, asked: boolean): boolean {
  // Who speaks as "I" is the agent.
  if (/(?:^|\s)(?:i|i'm|i've|i'll|i'd)\s/.test(sentence)) return false;
  const isSpecific =
    /openai|anthropic|claude|gpt|gemini|openrouter|\/login|plans|console|org-|platform\.|quota metric|tokens per min/.test(
      sentence,
    );
  if (asked && !isSpecific) return false;
  return notices.some((pattern) => pattern.test(sentence)) || tails.some((pattern) => pattern.test(sentence));
}

// A message that asks about errors, limits or responses may be answered by the name of one.
const asksAboutErrors =
  /\b(?:error|errors|status code|http|response code|exception|return(?:s|ed)?|fail(?:s|ed|ing|ure)?|log|logs|message does|what does .{0,40} say|[45]\d\d|fehler|statuscode|erreur|échou|error(?:es)?|fallo|falla|erro|falha|errore|fallisce|fout|błąd|ошибк|помилк|hata)|错误|报错|エラー|오류|에러/u;

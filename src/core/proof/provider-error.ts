/**
 * Recognises the errors of a model provider, or of a relay in front of it. They are never proof. The row's error, its
 * HTTP status and the program's name for it come first; a text counts by its words only if it is nothing but the
 * error.
 */
import type { RowError } from "../transcript/transcript.ts";

export const providerErrors = [
  "billing",
  "auth",
  "organization",
  "key_limit",
  "rate_limit",
  "overloaded",
  "context_length",
  "rejected",
] as const;
export type ProviderError = (typeof providerErrors)[number];

/** In order of precedence: the first match names the error. */
const wordings: readonly [ProviderError, RegExp][] = [
  [
    "organization",
    /organi[sz]ation (?:has been |is |was )?(?:disabled|suspended|deactivated|restricted|not (?:verified|allowed|active))|(?:your )?organi[sz]ation must be verified|verify organi[sz]ation|account (?:has been |is |was )?(?:disabled|suspended|deactivated|restricted|banned|terminated|blocked|not active|inactive)|account_deactivated|account_suspended|access to (?:this|the) (?:model|organi[sz]ation) (?:has been |is )?(?:denied|restricted|disabled)|does not have access to (?:the )?(?:model|claude|gpt|gemini)|not allowed to sample from this model|unsupported_country|country, region, or territory not supported|user location is not supported|project (?:has been |is )?(?:suspended|disabled)|consumer .{0,60} has been suspended|(?:generative language|vertex ai|\w+) api has not been used in project|no access to model|model access is denied|terms of service|data policy|guardrail restrictions/,
  ],
  [
    "key_limit",
    /key limit (?:exceeded|reached)|(?:monthly|weekly|daily|total) (?:key |spending |spend |usage )?limit (?:for|of) (?:this|the|your) (?:api )?key|(?:api )?key (?:has )?(?:exceeded|reached|hit) (?:its|the|your)? ?(?:\w+ )?(?:limit|budget)|(?:exceeded|reached|over) (?:its |your |the )?(?:monthly |weekly |daily |total )?(?:budget|spend(?:ing)? (?:limit|cap))|budget (?:has been |was )?exceeded|budgetexceeded|exceededbudget|max(?:imum)? budget|spend(?:ing)? limit|usage cap|workspace (?:api )?(?:usage|spend) limits?|you have reached your specified (?:api|workspace) usage limits/,
  ],
  [
    "billing",
    /insufficient[ _](?:balance|funds|credits?|quota)|credit balance is too low|not enough (?:credits?|balance|funds|quota)|exceeded your current quota|payment required|payment_required|billing|out of credits?|no (?:remaining )?credits?|credits? (?:exhausted|depleted|required)|requires? (?:at least \S+ |more )?credits|purchase (?:more )?credits|top[ -]?up|arrearage|overdue[ -]payment|余额不足|欠费|add (?:more )?credits|subscription (?:has )?(?:expired|ended|lapsed)|access denied.{0,60}good standing|free tier .{0,40}exhausted/,
  ],
  [
    "auth",
    /(?:invalid|incorrect|missing|expired|unknown|revoked|wrong|malformed|disabled) (?:x-)?(?:api|access|auth(?:entication)?|authorization|bearer|oauth|proxy server)?[ _-]?(?:key|token|credentials?)\b|(?:api|access|virtual)[ _-]?key (?:is |was |has |not )?(?:not |been )?(?:valid|invalid|found|expired|revoked|missing|disabled|required|deleted|incorrect|leaked)|api key not valid|no (?:auth|api)[ _-]?(?:credentials|key)|(?:didn't|did not) provide an api key|no api key|authentication[ _](?:error|failed|failure|required|fails)|auth(?:entication)? ?error|unauthori[sz]ed|unauthenticated|not authenticated|permission[ _]denied|permission_error|forbidden|(?:please )?run \/login|oauth token|(?:token|session|login|credentials?) (?:has |have )?(?:expired|been revoked)|invalid_api_key|user not found|could not resolve authentication|security token included in the request is (?:invalid|expired)|unable to locate credentials|could not load (?:the )?default credentials|(?:please )?log ?in again|please (?:re)?authenticate|令牌|鉴权|api密钥|无效的/,
  ],
  [
    "context_length",
    /context[ _-](?:length|window|size|limit)|prompt (?:is )?too (?:long|large)|maximum (?:context|prompt|input)[ _](?:length|tokens?)|input (?:is )?too (?:long|large)|exceeds? (?:the )?(?:model's )?(?:maximum )?(?:context|token limit|input (?:limit|token)|number of tokens)|request_too_large|request (?:entity |body )?(?:is )?too large|too many (?:input )?tokens|input token count|string_above_max_length|payload too large|reduce the length|exceed(?:s|ed)? (?:the )?(?:available )?context|n_ctx|num_ctx|max_tokens.{0,60}exceed/,
  ],
  [
    "overloaded",
    /overloaded|overloaded_error|(?:model|server|service|engine|system|api|upstream|provider|backend) (?:is |are |was )?(?:currently |temporarily |experiencing )*(?:overloaded|unavailable|busy|at capacity|high demand|high load|high traffic|down)|service unavailable|temporarily unavailable|(?:no|at|exceeded|insufficient) capacity|capacity (?:exceeded|constraints)|no (?:available |healthy )?(?:providers?|endpoints?|channels?|instances?|deployments?|backends?|upstream)|bad gateway|gateway time-?out|upstream (?:connect )?error|upstream request|the server had an error|is (?:still )?loading|loading model|无可用渠道|experiencing high/,
  ],
  [
    "rate_limit",
    /rate[ _-]?limit|rate exceeded|too many (?:\w+ )?requests|throttl|usage limit|(?:hit|reached|exceeded) your (?:\w+ ){0,3}limit|(?:weekly|daily|hourly|session|message|request|requests?|tokens?|minute|\d+-hour|opus|sonnet) (?:usage )?limit (?:has been )?(?:reached|exceeded)|limit reached|resource[ _](?:has been )?exhausted|quota (?:exceeded|reached|metric)|exceeded (?:your|the) (?:\w+ ){0,3}(?:quota|limit)|requests per (?:minute|day|second)|tokens per (?:minute|day)|concurrency limit|并发|频率/,
  ],
];

/** By the names that programs and providers give their errors. */
const names: readonly [ProviderError, RegExp][] = [
  ["billing", /^(?:billing_error|insufficient_quota|insufficient_balance|payment_required|credit)/],
  [
    "auth",
    /^(?:providerautherror|authentication_error|invalid_api_key|permission_error|authentication_failed|oauth_|unauthenticated|autherror|unauthorized)/,
  ],
  ["context_length", /^(?:contextoverflowerror|context_length_exceeded|request_too_large|messageoutputlengtherror)/],
  ["overloaded", /^(?:overloaded|unavailable|service_unavailable|server_error)/],
  ["rate_limit", /^(?:rate_limit|resource_exhausted|too_many_requests|throttlingexception)/],
];

/** A request that is itself wrong is `rejected`: repeating it would fail again. */
const statuses: ReadonlyMap<number, ProviderError> = new Map([
  [400, "rejected"],
  [404, "rejected"],
  [405, "rejected"],
  [422, "rejected"],
  [401, "auth"],
  [402, "billing"],
  [413, "context_length"],
  [429, "rate_limit"],
  [502, "overloaded"],
  [503, "overloaded"],
  [504, "overloaded"],
  [529, "overloaded"],
]);

/** A row that ended in an error. Its text refines the status, as with a quota behind a 429. */
export function providerErrorOf(error: Pick<RowError, "message" | "status" | "name">): ProviderError | null {
  const named = names.find(([, pattern]) => pattern.test((error.name ?? "").toLowerCase()))?.[0];
  if (named) return named;
  const worded = kindIn(error.message);
  const byStatus = statuses.get(error.status ?? 0) ?? null;
  return worded !== null && (byStatus === null || isForPeople(worded) || worded === "context_length")
    ? worded
    : byStatus;
}

const units = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** How long the provider asks to wait, if it says so in words: "try again in 1m20s". */
export function retryAfterIn(message: string): number | null {
  const said =
    /(?:try again|retry|wait|resets?|available)[^.\n]{0,30}?\b(?:in|after|for)[: ]{1,3}((?:\d+(?:\.\d+)? ?(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hours?)\b ?(?:and )?){1,3})/i.exec(
      message.slice(0, 2000),
    )?.[1];
  if (said === undefined) return null;
  const parts = [...said.matchAll(/(\d+(?:\.\d+)?) ?(ms|milli|s|m|h)/gi)];
  return parts.reduce((sum, [, count, unit = "s"]) => {
    const name = unit.toLowerCase() === "milli" ? "ms" : unit.toLowerCase();
    return sum + Number(count) * units[name as keyof typeof units];
  }, 0);
}

function kindIn(message: string): ProviderError | null {
  const text = message.slice(0, 4000).toLowerCase().replaceAll("’", "'");
  return wordings.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/** Paying, logging in and raising limits is a person's job; a retry only burns money. */
export function isForPeople(error: ProviderError): boolean {
  return error === "billing" || error === "auth" || error === "organization" || error === "key_limit";
}

/** Recognises what a model provider says when it did not answer, as an error or as plain text. Never proof. */

export type ProviderError = "billing" | "auth" | "rate_limit" | "context_length";

const patterns: readonly [ProviderError, RegExp][] = [
  [
    "billing",
    /insufficient (?:balance|funds|credits?|quota)|credit balance is too low|exceeded your current quota|payment required|billing (?:hard limit|details)|out of credits/,
  ],
  [
    "auth",
    /invalid (?:x-)?api[ -_]?key|incorrect api key|authentication[ _](?:error|failed)|unauthori[sz]ed|invalid bearer token|please run \/login|oauth token has expired/,
  ],
  ["rate_limit", /rate[ _-]?limit|too many requests|overloaded_error|usage limit reached/],
  [
    "context_length",
    /context[ _](?:length|window)[ _]?(?:exceeded|is too long)?|prompt is too long|maximum context length|input is too long/,
  ],
];

/** An error message is taken at its word. */
export function providerErrorIn(message: string): ProviderError | null {
  const text = message.toLowerCase();
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

// An agent may well write about rate limits. As plain text only a short notice that opens like an error counts.
const longestNotice = 200;
const opensLikeNotice =
  /^(?:api |provider |model |request )?(?:error|failed)\b|^(?:\d{3}\b|\{"?(?:type|error))|^(?:insufficient|invalid|incorrect|your |you(?:'ve| have)? exceeded|credit|payment required|unauthori[sz]ed|rate limit|too many requests|prompt is too long|maximum context|please run \/login|claude (?:ai )?usage limit|oauth)/;

export function providerErrorAsText(answer: string): ProviderError | null {
  const text = answer.trim().toLowerCase();
  return text.length <= longestNotice && opensLikeNotice.test(text) ? providerErrorIn(text) : null;
}

/** Paying and logging in are a person's job; asking again only burns money. */
export function isForPeople(error: ProviderError): boolean {
  return error === "billing" || error === "auth";
}

/** Recognises what a model provider says when it did not answer, as an error or as plain text. Never proof. */

export type ProviderError = "billing" | "auth" | "rate_limit" | "context_length";

const patterns: readonly [ProviderError, RegExp][] = [
  [
    "billing",
    /insufficient[ _](?:balance|funds|credits?|quota)|credit balance is too low|exceeded your current quota|payment required|billing (?:hard limit|details)|out of credits|billing_error/,
  ],
  [
    "auth",
    /invalid (?:x-)?api[ _-]?key|incorrect api key|api key not valid|no auth credentials|authentication[ _](?:error|failed)|unauthori[sz]ed|invalid bearer token|please run \/login|oauth token has expired/,
  ],
  [
    "rate_limit",
    /rate[ _-]?limit|too many requests|overloaded_error|usage limit (?:has been )?reached|hit your (?:usage |session |weekly )?limit|resource[ _](?:has been )?exhausted|\b\d+-hour limit reached/,
  ],
  [
    "context_length",
    /context[ _](?:length|window)|prompt is too long|maximum context length|input is too long|exceeds? (?:the )?context limit|request_too_large/,
  ],
];

/** An error message is taken at its word. */
export function providerErrorIn(message: string): ProviderError | null {
  const text = message.toLowerCase().replaceAll("’", "'");
  return patterns.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

// An agent may well write about rate limits. As plain text only a short notice counts that has the form of an error,
// or that is word for word how a provider begins.
const longestNotice = 400;
const errorForm =
  /^(?:(?:api|provider|model|llm|request) )?(?:error|failed)(?:\s*[:(]|\s+\d{3}\b| with status)|^\{\s*"?(?:type|error)"?\s*:|^(?:http )?4\d\d\s*[{:]/;
const end = "(?=\\s*(?:$|[.!:;,·∙|({\\n]))";
const wordForWord = new RegExp(
  `^(?:(?:4\\d\\d )?(?:payment required|unauthori[sz]ed|too many requests)${end}|insufficient (?:balance|funds|credits?|quota)${end}|invalid (?:x-)?api[ _-]?key${end}|incorrect api key provided|(?:your )?credit balance is too low|you(?:'ve| have)? exceeded your current quota|api key not valid${end}|no auth credentials found|please run /login|oauth token has expired|(?:rate limit|quota) (?:exceeded|reached)(?:${end}| for )|claude (?:ai )?usage limit reached|you've hit your (?:usage |session |weekly )?limit|(?:the )?usage limit (?:has been )?reached|\\d+-hour limit reached|resource has been exhausted|prompt is too long|input is too long|this model's maximum context length is|your input exceeds the context window)`,
);
// Who names a file speaks of the code, not of the model's own account.
const namesFile = /[\w-]\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|cs|c|h|cpp|php|sh|sql|md|json|ya?ml|toml|conf|env)\b/;

export function providerErrorAsText(answer: string): ProviderError | null {
  const text = answer.trim().toLowerCase().replaceAll("’", "'");
  if (text.length > longestNotice || namesFile.test(text)) return null;
  return errorForm.test(text) || wordForWord.test(text) ? providerErrorIn(text) : null;
}

/** Paying and logging in are a person's job; asking again only burns money. */
export function isForPeople(error: ProviderError): boolean {
  return error === "billing" || error === "auth";
}

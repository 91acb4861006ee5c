import { describe, expect, test } from "vitest";
import type { ProviderError } from "./provider-error.ts";
import { isForPeople, providerErrorOf } from "./provider-error.ts";
import { providerErrorAsText } from "./provider-notice.ts";

const notices: readonly [ProviderError, string][] = [
  ["billing", "Credit balance is too low"],
  ["billing", "Your credit balance is too low to access the API. Please go to Plans & Billing."],
  ["billing", "You exceeded your current quota, please check your plan and billing details."],
  ["billing", "Insufficient Balance"],
  ["billing", "402 Payment Required"],
  ["billing", "Error: Insufficient credits. Add more using https://example.org/credits"],
  ["auth", "Invalid API key · Please run /login"],
  ["auth", "Incorrect API key provided: sk-abc. You can find your key in the console."],
  [
    "auth",
    'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"OAuth token has expired."}}',
  ],
  ["auth", "Unauthorized"],
  ["auth", "API key not valid. Please pass a valid API key."],
  ["rate_limit", "429 Too Many Requests"],
  ["rate_limit", "Rate limit exceeded: free-models-per-day"],
  [
    "rate_limit",
    "Rate limit reached for gpt-x in organization org-1 on tokens per min (TPM): Limit 30000, Used 29500.",
  ],
  ["rate_limit", "Claude AI usage limit reached|1749924000"],
  ["rate_limit", "You’ve hit your limit · resets 3pm"],
  ["overloaded", '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'],
  ["context_length", "Prompt is too long"],
  ["context_length", "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens."],
  ["context_length", "Your input exceeds the context window of this model."],
];

describe("sufficiency: a recognised provider error is never proof", () => {
  test.each(notices)("%s as an error: %s", (kind, message) => {
    expect(providerErrorOf({ message })).toBe(kind);
  });

  test.each(notices)("%s as plain text: %s", (kind, text) => {
    expect(providerErrorAsText(text)).toBe(kind);
  });

  test.each([
    ["billing", "429 insufficient_quota"],
    ["rate_limit", "rate_limit_error"],
    ["rate_limit", "Resource has been exhausted (e.g. check quota)."],
    ["context_length", "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"],
    ["context_length", "context_length_exceeded"],
    ["auth", "provider said: invalid x-api-key"],
  ] as const)("%s anywhere in an error message: %s", (kind, message) => {
    expect(providerErrorOf({ message })).toBe(kind);
  });
});

test.each([
  ["rejected", { message: "messages.0: unexpected value", status: 400 }],
  ["rejected", { message: "model: no-such-model", status: 404 }],
  ["context_length", { message: "prompt is too long: 210000 tokens", status: 400 }],
  ["billing", { message: "Your credit balance is too low", status: 400 }],
] as const)("%s by the status of the response, unless its text is more specific: %j", (kind, error) => {
  expect(providerErrorOf(error)).toBe(kind);
});

test.each(["ECONNRESET", "The operation was aborted", "Internal server error", ""])(
  "another error is not a provider error: %j",
  (message) => {
    expect(providerErrorOf({ message })).toBeNull();
  },
);

describe("an answer about such errors stays an answer", () => {
  test.each([
    "Your rate limit is 10 requests a second, set in nginx.",
    "Rate limit is configured per tenant.",
    "Error handling for rate limits was missing; I added a back-off.",
    "Failed logins are rate limited to five a minute.",
    "401 Unauthorized responses are now retried once.",
    "Unauthorized requests get a 401 now.",
    "Invalid API key errors come from the old secret; I rotated it.",
    "Insufficient funds is thrown before the transfer starts.",
    "Error: rate limit check missing in src/limits.ts",
    "The API said: prompt is too long. I split the input, and it works now.",
    "Your context window question: 200k tokens.",
    "Too many requests hit the cache because the key had no tenant in it.",
  ])("%s", (text) => {
    expect(providerErrorAsText(text)).toBeNull();
  });

  test("a long text that begins like a notice is an answer", () => {
    expect(providerErrorAsText(`Error: rate limit exceeded. ${"I looked into the cause. ".repeat(20)}`)).toBeNull();
  });
});

test.each([
  ["billing", true],
  ["auth", true],
  ["organization", true],
  ["key_limit", true],
  ["rate_limit", false],
  ["overloaded", false],
  ["context_length", false],
  ["rejected", false],
] as const)("whether %s needs a person: %s", (error, forPeople) => {
  expect(isForPeople(error)).toBe(forPeople);
});

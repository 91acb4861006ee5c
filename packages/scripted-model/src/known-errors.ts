/** Provider errors that a caller must tell apart. A script refers to them by name. */
export const knownErrors = {
  insufficient_balance: { status: 402, message: "Insufficient balance", code: "insufficient_balance" },
  quota_exceeded: {
    status: 429,
    message: "You exceeded your current quota, please check your plan and billing details.",
    code: "insufficient_quota",
    type: "insufficient_quota",
  },
  invalid_api_key: { status: 401, message: "Incorrect API key provided.", code: "invalid_api_key" },
  rate_limit: { status: 429, message: "Rate limit reached.", code: "rate_limit_exceeded", retryAfterS: 1 },
  context_length: {
    status: 400,
    message: "This model's maximum context length is 100000 tokens. Please reduce the length of the messages.",
    code: "context_length_exceeded",
  },
  overloaded: { status: 529, message: "Overloaded" },
  unavailable: { status: 503, message: "The server is temporarily unavailable." },
} as const;

/** What a model used, in the numbers that all runtimes share. Pure. */
import type { Tokens } from "../../../core/turn/universal-event.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject } from "../../json-fields.ts";

export type Used = { tokens: Tokens; cost: number | null; model: string | null };

/** Of one message, in the provider's words. */
export function tokensOf(usage: Json): Tokens {
  return tokens({
    input: usage.input_tokens,
    output: usage.output_tokens,
    thinking: asObject(usage.output_tokens_details)?.thinking_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
  });
}

/**
 * Of the turn that a `result` ends, subagents included. Its own `usage` leaves those out, and its total of costs grows
 * with the process and is carried over a resume: `before` is what it was at the last `result`, null when not known.
 */
export function turnUsage(result: Json, before: number | null): Used | null {
  const models = asObject(result.model_usage_since_last_result);
  if (models) return usageByModel(models);
  const tokens = tokensOf(asObject(result.usage) ?? {});
  const total = typeof result.total_cost_usd === "number" ? result.total_cost_usd : null;
  const cost = total === null || before === null ? null : Math.max(0, total - before);
  return isNothing(tokens) && !cost ? null : { tokens, cost, model: null };
}

function usageByModel(models: Json): Used | null {
  const names = Object.keys(models);
  const [model = null] = names;
  if (model === null) return null;
  const used = Object.values(models).map((one) => asObject(one) ?? {});
  const cost = used.reduce((sum, one) => sum + asNumber(one.costUSD), 0);
  return { tokens: used.map(modelTokens).reduce(added), cost, model: names.length === 1 ? model : null };
}

function modelTokens(usage: Json): Tokens {
  return tokens({
    input: usage.inputTokens,
    output: usage.outputTokens,
    thinking: usage.thinkingTokens,
    cacheRead: usage.cacheReadInputTokens,
    cacheWrite: usage.cacheCreationInputTokens,
  });
}

/** The provider counts thoughts as output, too; here each token is counted once. */
function tokens(counts: Record<"input" | "output" | "thinking" | "cacheRead" | "cacheWrite", unknown>): Tokens {
  const reasoning = asNumber(counts.thinking);
  return {
    input: asNumber(counts.input),
    output: Math.max(0, asNumber(counts.output) - reasoning),
    reasoning,
    cacheRead: asNumber(counts.cacheRead),
    cacheWrite: asNumber(counts.cacheWrite),
  };
}

function added(one: Tokens, other: Tokens): Tokens {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}

function isNothing(used: Tokens): boolean {
  return Object.values(used).every((count) => count === 0);
}

/** Claude Code's token usage and costs, in the fields that all runtimes share. Pure. */
import type { Tokens } from "../../../core/turn/universal-event.ts";
import type { Json } from "../../json-fields.ts";
import { asNumber, asObject } from "../../json-fields.ts";

export type TurnUsage = { tokens: Tokens; cost: number | null; model: string | null };

/** The usage of one message. */
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
 * The usage of the turn that a `result` ends, including subagents. The line's own `usage` leaves those out, and its
 * total cost accumulates over the process and a resume. `costBefore` is the total at the previous `result`, null if
 * unknown.
 */
export function turnUsage(result: Json, costBefore: number | null): TurnUsage | null {
  const models = asObject(result.model_usage_since_last_result);
  if (models) return usageByModel(models);
  const tokens = tokensOf(asObject(result.usage) ?? {});
  const total = typeof result.total_cost_usd === "number" ? result.total_cost_usd : null;
  const cost = total === null || costBefore === null ? null : Math.max(0, total - costBefore);
  return Object.values(tokens).every((count) => count === 0) && !cost ? null : { tokens, cost, model: null };
}

function usageByModel(models: Json): TurnUsage | null {
  const names = Object.keys(models);
  const [model = null] = names;
  if (model === null) return null;
  const usages = Object.values(models).map((one) => asObject(one) ?? {});
  const cost = usages.reduce((total, one) => total + asNumber(one.costUSD), 0);
  return { tokens: usages.map(modelTokens).reduce(sum), cost, model: names.length === 1 ? model : null };
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

/** The provider also counts reasoning as output; here each token counts once. */
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

function sum(one: Tokens, other: Tokens): Tokens {
  return {
    input: one.input + other.input,
    output: one.output + other.output,
    reasoning: one.reasoning + other.reasoning,
    cacheRead: one.cacheRead + other.cacheRead,
    cacheWrite: one.cacheWrite + other.cacheWrite,
  };
}

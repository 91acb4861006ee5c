/**
 * Reads the lines that Claude Code prints, and the rows of its transcript files, which contain the same messages: their
 * blocks, the results of tools, statuses, usage, and the end of a turn. Pure.
 */

import type { SignalBody, ToolState } from "../../core/turn/signal.ts";
import type { Tokens, TurnEndReason } from "../../core/turn/universal-event.ts";
import type { Json } from "../json-fields.ts";
import { asList, asNumber, asObject, asText, blocksOf } from "../json-fields.ts";

/** The model's name in messages that the program itself generates. */
export const syntheticModel = "<synthetic>";

/** The text of the row that the program adds when a person stops a turn. */
export function isInterrupt(text: string): boolean {
  return text.startsWith("[Request interrupted by user");
}

/**
 * A block of a message, and the block itself as `raw`. `isOwn` is false for tools of the provider, whose results are in
 * the same message.
 */
export type MessageBlock = { raw: Json } & (
  | { kind: "text" | "reasoning"; text: string }
  | { kind: "call"; isOwn: boolean; call: string | null; name: string | null; input: Json }
  | { kind: "result"; isOwn: boolean; call: string | null; name: string | null; isError: boolean; content: unknown }
  | { kind: "other" }
);
export type ToolResult = Extract<MessageBlock, { kind: "result" }>;

export function messageBlocks(content: unknown): MessageBlock[] {
  return blocksOf(content).map((raw): MessageBlock => {
    const type = asText(raw.type) ?? "";
    const name = asText(raw.name);
    if (type === "text") return { kind: "text", raw, text: asText(raw.text) ?? "" };
    if (type === "thinking") return { kind: "reasoning", raw, text: asText(raw.thinking) ?? "" };
    if (type.endsWith("tool_use")) {
      const isOwn = type === "tool_use";
      return { kind: "call", raw, isOwn, call: asText(raw.id), name, input: asObject(raw.input) ?? {} };
    }
    if (!type.endsWith("tool_result")) return { kind: "other", raw };
    const { content, is_error } = raw;
    const isOwn = type === "tool_result";
    return { kind: "result", raw, isOwn, call: asText(raw.tool_use_id), name, isError: is_error === true, content };
  });
}

/** The results of the program's own tools, which a row of the user has. */
export function resultsIn(content: unknown): ToolResult[] {
  return messageBlocks(content)
    .filter((block) => block.kind === "result")
    .filter(({ isOwn }) => isOwn);
}

export type TurnResult = { prompts: readonly string[]; at: number; error: string | null; cost: number | null };

export function turnResult(line: Json, openPrompts: Iterable<string>, at: number): TurnResult {
  const error = line.is_error === true ? (asText(line.result) ?? asText(line.subtype) ?? "error") : null;
  return { prompts: endedPrompts(line, openPrompts), at, error, cost: costOf(line) };
}

/** Older versions do not name the prompts; then it is the oldest open one that has ended. */
export function endedPrompts(line: Json, openPrompts: Iterable<string>): readonly string[] {
  const named = asList(line.user_message_uuids).filter((uuid) => typeof uuid === "string");
  return named.length > 0 || line.origin != null ? named : [...openPrompts].slice(0, 1);
}

/** The program also reports a total, but that accumulates over turns, and sometimes over restarts. */
function costOf(line: Json): number | null {
  const models = asObject(line.model_usage_since_last_result);
  return models && Object.values(models).reduce<number>((sum, one) => sum + asNumber(asObject(one)?.costUSD), 0);
}

/**
 * The HTTP status of the provider's response, which the program puts at the start of an error; undefined without one.
 */
export function apiErrorStatus(message: string): number | undefined {
  const status = Number(/^API Error: (\d{3})\b/.exec(message)?.[1] ?? 0);
  return status >= 400 ? status : undefined;
}

/**
 * How a turn ended, according to its `result` line. `subtype` is `success` even after a provider error, and an
 * interrupt counts as an error; `terminal_reason` and `is_error` tell them apart. The reason is null if the program
 * does not give one.
 */
export function turnEnd(result: Json): { reason: TurnEndReason | null; error: string | null } {
  const why = asText(result.terminal_reason) ?? "";
  if (why.startsWith("aborted")) return { reason: "aborted", error: null };
  if (result.is_error === true) return { reason: "error", error: errorText(result) };
  return { reason: why === "completed" ? "completed" : null, error: null };
}

function errorText(result: Json): string {
  const errors = asList(result.errors).filter((error) => typeof error === "string");
  return asText(result.result) || errors.join("\n") || asText(result.subtype) || "error";
}

/** The output of hooks can be very long. */
const maxLength = 20_000;

export function statusSignal(line: Json, name: string, failed = hasFailed(line)): SignalBody {
  const { type, subtype, uuid, session_id, parent_tool_use_id, ...value } = line;
  const id = asText(uuid) ?? `${name}:${JSON.stringify(value)}`.slice(0, 200);
  const all = { event: asText(subtype) ?? asText(type), ...value };
  const text = JSON.stringify(all);
  const shown = text.length <= maxLength ? all : { event: all.event, cut: text.slice(0, maxLength) };
  return { type: "status", id, name, value: shown, ...(failed ? { failed } : {}) };
}

/** Tool servers that are unavailable to the agent: the only part of `system/init` that no other event shows. */
export function missingServers(line: Json): Json[] {
  const servers = asList(line.mcp_servers).map((one) => asObject(one) ?? {});
  return servers.filter(({ status }) => status === "failed" || status === "needs-auth");
}

function hasFailed({ outcome, status, error, isError, subtype }: Json): boolean {
  if (subtype === "api_retry") return false;
  return outcome === "error" || status === "failed" || isError === true || (error !== undefined && error !== null);
}

export function resultState(
  { content, isError }: { content: unknown; isError: boolean },
  input: Json,
  rejected: boolean,
): ToolState {
  const output = blocksOf(content).map(outputOf).join("");
  return isError ? { status: "error", input, output, rejected } : { status: "completed", input, output };
}

/** To the model, refused and stopped calls look the same; these notes tell them apart. */
export function executionNote(line: Json, call: string): { refused: boolean; notRun: string | null } {
  const notes = asList(line.tool_result_meta).map(asObject);
  const note = notes.find((one) => one?.id === call) ?? {};
  const { decision, source } = asObject(note.permission_decision) ?? {};
  return {
    refused: decision === "reject" && asText(source)?.startsWith("user") === true,
    notRun: asText(note.non_execution_kind) ?? asText(line.toolDenialKind),
  };
}

function outputOf(block: Json): string {
  const text = asText(block.text);
  if (text !== null) return text;
  const mime = asText(asObject(block.source)?.media_type);
  return `[${asText(block.type) ?? "unknown"}${mime === null ? "" : ` ${mime}`}]`;
}

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

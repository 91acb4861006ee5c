/** Converts the messages of an OpenCode session to the transcript rows that all runtimes share. Pure. */
import type { Usage } from "../../../core/lane/lane.ts";
import type { RowError, ToolCall, TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { AssistantMessage, Part, StoredMessage, ToolPart } from "../client/api.ts";

export function transcriptRows(stored: readonly StoredMessage[]): TranscriptRow[] {
  const chain = continuations(stored);
  return stored.map((row) => rowFrom(row, chain.get(row.info.id) ?? null));
}

export function lastActivity(stored: readonly StoredMessage[]): number | null {
  const times = stored.flatMap(({ info, parts }) => [...timesIn(info.time), ...parts.flatMap(partTimes)]);
  // Not `Math.max(...times)`: a long session has more times than a call can take arguments.
  return times.reduce<number | null>((newest, at) => (newest === null || at > newest ? at : newest), null);
}

function rowFrom({ info, parts }: StoredMessage, continuesId: string | null): TranscriptRow {
  const times = parts.flatMap(partTimes);
  const shared = {
    id: info.id,
    continuesId,
    text: textOf(parts, info.role),
    reasoning: parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n"),
    tools: parts.flatMap((part) => (part.type === "tool" ? [toolFrom(part)] : [])),
    createdAt: info.time.created,
    firstActivityAt: times.length === 0 ? null : Math.min(...times),
  };
  if (info.role === "user") {
    return { ...shared, role: "user", parentId: null, finish: null, error: null, completedAt: info.time.created };
  }
  return {
    ...shared,
    // The summary of a compaction is not an answer, but a failed compaction affects the turn.
    role: info.summary === true && !info.error ? "system" : "assistant",
    parentId: info.parentID,
    finish: info.finish ?? null,
    error: errorFrom(info.error),
    completedAt: info.time.completed ?? null,
    usage: messageUsage(info),
  };
}

/** Tokens of every kind, including those read from a cache, which also cost. Some rows have no numbers. */
export function messageUsage({ tokens, cost }: Partial<Pick<AssistantMessage, "tokens" | "cost">>): Usage {
  if (!tokens) return { tokens: 0, cost: cost ?? 0 };
  const { input, output, reasoning, cache } = tokens;
  return { tokens: input + output + reasoning + cache.read + cache.write, cost: cost ?? 0 };
}

/** Leaves out the parts that the program added in the agent's name. */
function textOf(parts: readonly Part[], role: "user" | "assistant"): string {
  return parts
    .flatMap((part) => (part.type === "text" && !(part.synthetic === true && role === "assistant") ? [part.text] : []))
    .join("\n");
}

function toolFrom({ callID, tool, state }: ToolPart): ToolCall {
  const failed = state.status === "error";
  return {
    id: callID,
    name: tool,
    status: state.status,
    input: state.input,
    output: state.status === "completed" ? state.output : failed ? state.error : "",
    rejected: failed && isRejection(state.error),
    ...resultOf(state),
  };
}

/** Facts from the metadata: a changed file, and a shell command's exit code (null if the server ended the command). */
function resultOf(state: ToolPart["state"]): Pick<ToolCall, "exitCode" | "timedOut" | "effect"> {
  if (state.status !== "completed") return {};
  const { exit, diff, filediff, files } = (state.metadata ?? {}) as Record<string, unknown>;
  const changes = diff !== undefined || filediff !== undefined || files !== undefined;
  return {
    ...(typeof exit === "number" ? { exitCode: exit } : {}),
    ...(exit === null && tookTooLong.test(state.output.slice(-2000)) ? { timedOut: true } : {}),
    ...(changes ? { effect: "changes" as const } : {}),
  };
}

const tookTooLong = /terminated command after exceeding timeout|command exceeded timeout/i;

/** OpenCode's messages for a permission or a question that a person refused. */
export function isRejection(error: string): boolean {
  return /\b(rejected permission|rejected this question|dismissed this question|user rejected)\b/i.test(error);
}

export function errorFrom(error: { name?: string; data?: unknown } | undefined): RowError | null {
  if (!error) return null;
  const { message, statusCode, responseHeaders } = (error.data ?? {}) as Record<string, unknown>;
  const retryAfter = retryAfterMs(responseHeaders);
  return {
    kind: error.name === "MessageAbortedError" ? "aborted" : "failed",
    message: typeof message === "string" && message !== "" ? message : (error.name ?? "error"),
    ...(error.name === undefined ? {} : { name: error.name }),
    ...(typeof statusCode === "number" ? { status: statusCode } : {}),
    ...(retryAfter === null ? {} : { retryAfterMs: retryAfter }),
  };
}

/** The header is in seconds, or in milliseconds with some providers. A date is ignored; the usual backoff applies. */
function retryAfterMs(headers: unknown): number | null {
  const { "retry-after": seconds, "retry-after-ms": milliseconds } = (headers ?? {}) as Record<string, unknown>;
  if (milliseconds !== undefined && Number(milliseconds) >= 0) return Number(milliseconds);
  return seconds !== undefined && Number(seconds) >= 0 ? Number(seconds) * 1000 : null;
}

/**
 * When a session is compacted mid-turn, the turn continues under new ids: a user row that requests the compaction, its
 * summary, then a user row that repeats the prompt. Each user row continues the one before it. If a turn was answered
 * before the compaction, it has ended, and the rows that follow are not part of it.
 */
export function continuations(stored: readonly StoredMessage[]): Map<string, string> {
  const found = new Map<string, string>();
  type Turn = { user: StoredMessage | null; newest: string | null; answered: boolean };
  let turn: Turn = { user: null, newest: null, answered: false };
  let compacting = false;
  for (const row of stored) {
    const { info, parts } = row;
    if (info.role === "assistant") {
      if (!info.summary) turn.answered = isAnswer(row);
      continue;
    }
    const requestsCompaction = parts.some((part) => part.type === "compaction" && part.auto);
    const continues: boolean = requestsCompaction
      ? !turn.answered
      : compacting && turn.user !== null && repeats(row, turn.user);
    compacting = requestsCompaction && continues;
    if (continues && turn.newest !== null) {
      found.set(info.id, turn.newest);
      turn = { ...turn, newest: info.id, answered: false };
    } else turn = { user: row, newest: info.id, answered: false };
  }
  return found;
}

/** False for a new prompt after the compaction. */
function repeats(row: StoredMessage, prompt: StoredMessage): boolean {
  const isSynthetic = row.parts.every((part) => part.type !== "text" || part.synthetic === true);
  return isSynthetic || textOf(row.parts, "user") === textOf(prompt.parts, "user");
}

/** Whether the row has text and ends its turn. */
function isAnswer({ info, parts }: StoredMessage): boolean {
  if (info.role !== "assistant" || info.error || info.time.completed === undefined) return false;
  const ended = info.finish !== undefined && info.finish !== "tool-calls" && info.finish !== "length";
  return ended && textOf(parts, "assistant").trim() !== "";
}

function partTimes(part: Part): number[] {
  if (part.type === "tool") return part.state.status === "pending" ? [] : timesIn(part.state.time);
  return "time" in part && part.time ? timesIn(part.time) : [];
}

function timesIn(time: { created?: number; completed?: number; start?: number; end?: number } = {}): number[] {
  return [time.created, time.completed, time.start, time.end].filter((at) => at !== undefined);
}

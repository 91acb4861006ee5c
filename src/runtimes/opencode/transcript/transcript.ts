/** Turns what OpenCode stored of a session into the transcript that every runtime shows. Pure. */

import type { Usage } from "../../../core/lane/daily-limit.ts";
import type { RowError, ToolCall, TranscriptRow } from "../../../core/transcript/transcript.ts";
import type { AssistantMessage, MessageRow, Part } from "../server/opencode-api.ts";

type ToolPart = Extract<Part, { type: "tool" }>;

export function rowsFrom(stored: readonly MessageRow[]): TranscriptRow[] {
  const chain = continuations(stored);
  return stored.map((row) => rowFrom(row, chain.get(row.info.id) ?? null));
}

/** The newest sign of life in these rows. */
export function lastActivity(stored: readonly MessageRow[]): number | null {
  const times = stored.flatMap(({ info, parts }) => [...timesIn(info.time), ...parts.flatMap(partTimes)]);
  // Not as arguments: a session has more of them than a call can take.
  return times.reduce<number | null>((newest, at) => (newest === null || at > newest ? at : newest), null);
}

function rowFrom({ info, parts }: MessageRow, continuesId: string | null): TranscriptRow {
  const shared = {
    id: info.id,
    continuesId,
    text: textOf(parts, info.role),
    reasoning: parts.flatMap((part) => (part.type === "reasoning" ? [part.text] : [])).join("\n"),
    tools: parts.flatMap((part) => (part.type === "tool" ? [toolFrom(part)] : [])),
    createdAt: info.time.created,
    firstActivityAt: firstOf(parts.flatMap(partTimes)),
  };
  if (info.role === "user") {
    return { ...shared, role: "user", parentId: null, finish: null, error: null, completedAt: info.time.created };
  }
  return {
    ...shared,
    // The summary that a compaction writes is nobody's answer; that it could not be written is news about the turn.
    role: info.summary === true && !info.error ? "system" : "assistant",
    parentId: info.parentID,
    finish: info.finish ?? null,
    error: errorFrom(info.error),
    completedAt: info.time.completed ?? null,
    usage: usageOf(info),
  };
}

/** Of every kind: what was read from a cache is paid for, too. A row without such numbers is readable all the same. */
export function usageOf({ tokens, cost }: Partial<Pick<AssistantMessage, "tokens" | "cost">>): Usage {
  if (!tokens) return { tokens: 0, cost: cost ?? 0 };
  const { input, output, reasoning, cache } = tokens;
  return { tokens: input + output + reasoning + cache.read + cache.write, cost: cost ?? 0 };
}

/** What the agent said; parts that are marked as put in by the program itself are not its words, nor a person's. */
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
  };
}

/** The program's own words for a permission or a question that a person refused. */
export function isRejection(error: string): boolean {
  return /\b(rejected permission|rejected this question|dismissed this question|user rejected)\b/i.test(error);
}

export function errorFrom(error: { name?: string; data?: unknown } | undefined): RowError | null {
  if (!error) return null;
  const { message, statusCode } = (error.data ?? {}) as { message?: unknown; statusCode?: unknown };
  const said = typeof message === "string" && message !== "" ? message : (error.name ?? "error");
  const words = error.name === "ProviderAuthError" ? "authentication failed" : wordsOfStatus.get(statusCode);
  return {
    kind: error.name === "MessageAbortedError" ? "aborted" : "failed",
    message: words === undefined ? said : `${said} (${words})`,
  };
}

/** Every provider has words of its own for them. */
const wordsOfStatus = new Map<unknown, string>([
  [401, "401 unauthorized"],
  [402, "402 payment required"],
]);

/**
 * When a session is compacted in mid-turn, the turn goes on under new ids: a user row that asks for the compaction, its
 * summary, then a user row that stands for the prompt. Each of these continues the user row before it. A turn that had
 * its answer before is at its end; what the program lets the agent say after a compaction then is not part of it.
 */
export function continuations(stored: readonly MessageRow[]): Map<string, string> {
  const found = new Map<string, string>();
  let turn: { user: MessageRow | null; newest: string | null; answered: boolean } = {
    user: null,
    newest: null,
    answered: false,
  };
  let compacting = false;
  for (const row of stored) {
    const { info, parts } = row;
    if (info.role === "assistant") {
      if (!info.summary) turn.answered = endsTurn(row);
      continue;
    }
    const asks = parts.some((part) => part.type === "compaction" && part.auto);
    const goesOn: boolean = asks ? !turn.answered : compacting && turn.user !== null && standsFor(row, turn.user);
    compacting = asks && goesOn;
    if (goesOn && turn.newest !== null) {
      found.set(info.id, turn.newest);
      turn = { ...turn, newest: info.id, answered: false };
    } else turn = { user: row, newest: info.id, answered: false };
  }
  return found;
}

/** A prompt that came after a compaction, ours or a person's, stands for no other one. */
function standsFor(row: MessageRow, prompt: MessageRow): boolean {
  const isSynthetic = row.parts.every((part) => part.type !== "text" || part.synthetic === true);
  return isSynthetic || textOf(row.parts, "user") === textOf(prompt.parts, "user");
}

/** With words, and with nothing that was to follow. */
function endsTurn({ info, parts }: MessageRow): boolean {
  if (info.role !== "assistant" || info.error || info.time.completed === undefined) return false;
  const ended = info.finish !== undefined && info.finish !== "tool-calls" && info.finish !== "length";
  return ended && textOf(parts, "assistant").trim() !== "";
}

function partTimes(part: Part): number[] {
  if (part.type === "tool") return part.state.status === "pending" ? [] : timesIn(part.state.time);
  return "time" in part && part.time ? timesIn(part.time) : [];
}

function firstOf(times: readonly number[]): number | null {
  return times.length === 0 ? null : Math.min(...times);
}

function timesIn(time: { created?: number; completed?: number; start?: number; end?: number } = {}): number[] {
  return [time.created, time.completed, time.start, time.end].filter((at) => at !== undefined);
}

/** Transcript rows while they are read, and the slice of a session from them and the client of its process. Pure. */
import type { ToolCall, TranscriptRow, TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { AgentClient } from "./agent-process.ts";

/** The process that has a session: one from the pool, or an orphan of an earlier run. */
export type SessionProcess<C extends AgentClient> = { client: C | null; isOrphaned: boolean };

export function transcriptSlice(client: AgentClient | null, slice: Omit<TranscriptSlice, "asks">): TranscriptSlice {
  const { sessionId, status, rows, lastActivityAt } = slice;
  const asks = (client?.asks ?? []).map(({ id, kind, title, askedAt }) => ({ id, kind, sessionId, title, askedAt }));
  const isBusy = status === "busy" || status === "retry";
  const times = [lastActivityAt, client?.lastOutputAt ?? null].filter((time) => time !== null);
  return {
    ...slice,
    asks,
    rows: isBusy ? rows : reopenUnfinishedTurns(rows),
    lastActivityAt: times.length === 0 ? null : Math.max(...times),
  };
}

/**
 * A turn has ended when its last message needs no continuation. If the last message of a turn in an idle session called
 * tools, the turn was cut off there. Its row is then left open, like the last row of any turn that died.
 */
export function reopenUnfinishedTurns(rows: readonly TranscriptRow[]): TranscriptRow[] {
  const continued = new Set<string | null>();
  const reopened = rows.toReversed().map((row) => {
    if (row.role !== "assistant" || continued.has(row.parentId)) return row;
    continued.add(row.parentId);
    const isCutOff = row.finish === "tool-calls" && row.error === null && row.tools.at(-1)?.rejected !== true;
    return isCutOff ? { ...row, completedAt: null } : row;
  });
  return reopened.reverse();
}

export type MutableToolCall = { -readonly [K in keyof ToolCall]: ToolCall[K] };
export type MutableRow = { -readonly [K in keyof TranscriptRow]: TranscriptRow[K] } & { tools: MutableToolCall[] };

/** An empty row that readers fill in. */
export const emptyRow = {
  continuesId: null,
  text: "",
  reasoning: "",
  finish: null,
  error: null,
  firstActivityAt: null,
  completedAt: null,
} as const satisfies Partial<TranscriptRow>;

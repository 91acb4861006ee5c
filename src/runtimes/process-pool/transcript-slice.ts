/** Builds the slice of a session from its transcript rows and the client of its process. Pure. */
import type { TranscriptRow, TranscriptSlice } from "../../core/transcript/transcript.ts";
import type { AgentClient } from "./agent-process.ts";

/** Which process has a session: one of the pool, or an orphan of an earlier run. */
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
 * A turn has ended when its last message needs no continuation. In an idle session, a turn whose last message called
 * tools was cut off there: its row is left open, as every program leaves the row in which it died.
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

/**
 * Finds the prompts of a delivery in its transcripts: their rows and their timing.
 *
 * If a runtime takes Waybill's ids, an id is the only anchor: text is never evidence. Otherwise, a user row after the
 * pre-prompt cursor counts if it *begins* with this message's marker, so that a message which quotes another one's id
 * proves nothing.
 *
 * A cursor may disappear from a transcript, as when a program leaves a branch of its session or drops rows. Positions
 * then no longer show what came before the prompt, and an answer to something earlier must not become proof. In that
 * case only a marked row that is not older than the attempt counts; a clock that was set back costs a retry, and
 * proves nothing.
 */
import type { Attempt, AttemptTiming } from "../delivery/attempt.ts";
import { earliest, latest } from "../delivery/attempt.ts";
import { hasMarker, promptMarker } from "../delivery/prompt-text.ts";
import type { TranscriptRow, TranscriptSlice } from "../transcript/transcript.ts";

export type Anchored = {
  attempt: Attempt;
  slice: TranscriptSlice;
  /** The user row with the prompt, or null. */
  row: TranscriptRow | null;
  /** All assistant rows of its turn, across compactions, in transcript order. */
  children: readonly TranscriptRow[];
  /** The slice contains neither the prompt nor the place where it would be. */
  outOfReach: boolean;
};

export function anchor(
  attempt: Attempt,
  slices: readonly TranscriptSlice[],
  input: { messageId: string; takesIds: boolean },
): Anchored | null {
  const slice = slices.find((candidate) => candidate.sessionId === attempt.sessionId);
  if (!slice) return null;
  const inReach = slice.complete || slice.rows.some((row) => row.id === attempt.prePromptCursor);
  const row = input.takesIds ? byId(slice, attempt) : inReach ? byMarker(slice, attempt, input.messageId) : null;
  return {
    attempt,
    slice,
    row,
    children: row ? childrenOf(slice.rows, row) : [],
    outOfReach: row === null && !inReach,
  };
}

/** The prompt itself, or the row that a compaction put in its place. */
function byId(slice: TranscriptSlice, attempt: Attempt): TranscriptRow | null {
  const users = slice.rows.filter((row) => row.role === "user");
  return (
    users.find((row) => row.id === attempt.messageId) ??
    users.find((row) => row.continuesId === attempt.messageId) ??
    null
  );
}

/** The first row after the attempt's cursor that begins with the marker; a later one belongs to a later attempt. */
function byMarker({ rows }: TranscriptSlice, attempt: Attempt, messageId: string): TranscriptRow | null {
  const cursor = rows.findIndex((row) => row.id === attempt.prePromptCursor);
  const isLost = cursor === -1 && attempt.prePromptCursor !== null;
  const behind = isLost ? rows.filter((row) => row.createdAt >= attempt.submittedAt) : rows.slice(cursor + 1);
  const candidates = behind.filter((row) => row.role === "user");
  const marked = candidates.find((row) => row.text.trimStart().startsWith(promptMarker(messageId)));
  if (marked || isLost) return marked ?? null;
  // A single row without a marker or id can only be this prompt with its start cut off.
  const [only, ...others] = candidates;
  const isOurs = only && others.length === 0 && !hasMarker(only.text) && !only.text.includes(messageId);
  return isOurs ? only : null;
}

function childrenOf(rows: readonly TranscriptRow[], prompt: TranscriptRow): readonly TranscriptRow[] {
  const chain = new Set([prompt.id]);
  for (const row of rows) {
    if (row.role === "user" && row.continuesId !== null && chain.has(row.continuesId)) chain.add(row.id);
  }
  return rows.filter((row) => row.role === "assistant" && row.parentId !== null && chain.has(row.parentId));
}

/** Whether another prompt follows this one in its session. If its place is unknown, any other prompt may. */
export function hasLaterPrompt(anchored: Anchored): boolean {
  const { rows } = anchored.slice;
  const index = anchored.row
    ? rows.indexOf(anchored.row)
    : rows.findIndex((row) => row.id === anchored.attempt.prePromptCursor);
  if (index === -1 && !anchored.slice.complete) return true;
  const chain = new Set([anchored.row?.id]);
  return rows.slice(index + 1).some((row) => {
    if (row.role !== "user") return false;
    if (row.continuesId !== null && chain.has(row.continuesId)) {
      chain.add(row.id);
      return false;
    }
    return true;
  });
}

/** The timing of one attempt, from its transcript; `isNewest` if no other prompt followed it in its session. */
export function timingOf({ attempt, slice, row, children }: Anchored, isNewest: boolean): AttemptTiming {
  const newest = children.at(-1);
  const busy = slice.status === "busy" || slice.status === "retry";
  const ended = newest !== undefined && !isOpen(newest) && (newest.finish !== "tool-calls" || !busy || !isNewest);
  const signs = children.flatMap((child) => [child.createdAt, child.firstActivityAt, child.completedAt]);
  return {
    number: attempt.number,
    storedAt: row?.createdAt ?? null,
    firstTokenAt: earliest(children.map((child) => child.firstActivityAt)),
    lastActivityAt: row === null ? null : latest([...signs, isNewest ? slice.lastActivityAt : row.createdAt]),
    finishedAt: ended ? newest.completedAt : null,
  };
}

/** Unfinished. In a busy session that is work; in an idle session the turn was cut off. */
export function isOpen(row: TranscriptRow): boolean {
  return row.completedAt === null || row.tools.some((tool) => tool.status === "pending" || tool.status === "running");
}

/**
 * Finds the prompts of a delivery in its transcripts.
 *
 * Where a runtime takes our ids, an id is the only anchor: no text is ever evidence. Where it takes none, a user row
 * after the pre-prompt cursor counts when it *begins* with the marker of this message, so that a message which
 * quotes another one's id proves nothing.
 */
import type { TranscriptRow, TranscriptSlice } from "../runtimes/port.ts";
import type { Attempt } from "./attempt.ts";
import { promptMarker } from "./prompt-text.ts";

export type Anchored = {
  attempt: Attempt;
  slice: TranscriptSlice;
  /** The user row that holds the prompt, or null. */
  row: TranscriptRow | null;
  /** All assistant rows of its turn, through compactions, in the order of the transcript. */
  children: readonly TranscriptRow[];
  /** The slice reaches neither the prompt nor the place where it would stand. */
  outOfReach: boolean;
};

export function anchor(
  attempt: Attempt,
  slices: readonly TranscriptSlice[],
  input: { messageId: string; takesIds: boolean },
): Anchored | null {
  const slice = slices.find((candidate) => candidate.sessionId === attempt.sessionId);
  if (!slice) return null;
  const row = input.takesIds ? byId(slice, attempt) : byMarker(slice, attempt, input.messageId);
  const cursorInReach =
    slice.complete ||
    (attempt.prePromptCursor !== null && slice.rows.some((candidate) => candidate.id === attempt.prePromptCursor));
  return {
    attempt,
    slice,
    row,
    children: row ? childrenOf(slice.rows, row.id) : [],
    outOfReach: row === null && !cursorInReach,
  };
}

function byId(slice: TranscriptSlice, attempt: Attempt): TranscriptRow | null {
  return slice.rows.find((row) => row.role === "user" && row.id === attempt.messageId) ?? null;
}

function byMarker(slice: TranscriptSlice, attempt: Attempt, messageId: string): TranscriptRow | null {
  const cursor = slice.rows.findIndex((row) => row.id === attempt.prePromptCursor);
  if (attempt.prePromptCursor !== null && cursor === -1) return null;
  const candidates = slice.rows.slice(cursor + 1).filter((row) => row.role === "user");
  const marked = candidates.filter((row) => row.text.trimStart().startsWith(promptMarker(messageId)));
  if (marked.length > 0) return marked.at(-1) ?? null;
  // One single row that carries no marker at all can only be our prompt with its head cut off.
  const [only] = candidates;
  return candidates.length === 1 && only && !only.text.includes(promptMarker("")) ? only : null;
}

function childrenOf(rows: readonly TranscriptRow[], anchorId: string): readonly TranscriptRow[] {
  const chain = new Set([anchorId]);
  for (const row of rows) {
    if (row.role === "user" && row.continuesId !== null && chain.has(row.continuesId)) chain.add(row.id);
  }
  return rows.filter((row) => row.role === "assistant" && row.parentId !== null && chain.has(row.parentId));
}

/** Whether another prompt stands behind this one in its session. */
export function hasLaterPrompt(anchored: Anchored): boolean {
  const { rows } = anchored.slice;
  const place = anchored.row
    ? rows.indexOf(anchored.row)
    : rows.findIndex((row) => row.id === anchored.attempt.prePromptCursor);
  if (place === -1 && !anchored.slice.complete) return true;
  const chain = new Set([anchored.row?.id]);
  return rows.slice(place + 1).some((row) => {
    if (row.role !== "user") return false;
    if (row.continuesId !== null && chain.has(row.continuesId)) {
      chain.add(row.id);
      return false;
    }
    return true;
  });
}

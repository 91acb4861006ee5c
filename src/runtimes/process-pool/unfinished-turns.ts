/** What a session at rest shows of a turn that never came to its end. Pure. */
import type { TranscriptRow } from "../../core/transcript/transcript.ts";

/**
 * A turn is over when its last message was to be followed by nothing. In a session at rest, one that called tools and
 * was never followed broke off there: its row is left open, as every program leaves the row in which it died.
 */
export function reopenUnfinishedTurns(rows: readonly TranscriptRow[]): TranscriptRow[] {
  const followed = new Set<string | null>();
  const open = rows.toReversed().map((row) => {
    if (row.role !== "assistant" || followed.has(row.parentId)) return row;
    followed.add(row.parentId);
    const goesOn = row.finish === "tool-calls" && row.error === null && row.tools.at(-1)?.rejected !== true;
    return goesOn ? { ...row, completedAt: null } : row;
  });
  return open.reverse();
}

/**
 * What an event becomes for those who heard the deltas before it, beside what it becomes for those who did not. What both
 * say is said in the words of the second, and counted by them; so it is the same live and in a replay.
 */
import type { Emitted } from "../projection/session-projection.ts";

export type Counted = { emitted: Emitted; number: number | null };

export function merged(kept: readonly Emitted[], live: readonly Emitted[]): Counted[] {
  const all: Counted[] = [];
  let next = 0;
  for (const emitted of live) {
    const found = kept.findIndex((one, index) => index >= next && keyOf(one) === keyOf(emitted));
    if (found < 0) {
      all.push({ emitted, number: null });
      continue;
    }
    all.push(...counted(kept, next, found + 1));
    next = found + 1;
  }
  return [...all, ...counted(kept, next, kept.length)];
}

/** Also what the live one has said before: not everybody heard it. */
function counted(kept: readonly Emitted[], from: number, to: number): Counted[] {
  return kept.slice(from, to).map((emitted, index) => ({ emitted, number: from + index + 1 }));
}

/** Which message, part or ask it is about. */
function keyOf({ type, properties }: Emitted): string {
  const { info, part, id, requestID, partID } = properties as Record<string, { id?: unknown } | undefined>;
  return JSON.stringify([type, info?.id, part?.id, id, requestID, partID, properties.sessionID]);
}

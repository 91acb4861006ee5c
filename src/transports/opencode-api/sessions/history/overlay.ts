/** Messages as they are kept, with what is known of them at this moment laid over. Pure. */
import type { MessageRow } from "../../projection/session-projection.ts";

/**
 * In their order. Of one that is in both, the live one is newer; but whoever began to listen in the middle of it has not
 * heard all of its parts, and whoever lags behind has not heard of its end.
 */
export function laidOver(kept: readonly MessageRow[], live: readonly MessageRow[]): MessageRow[] {
  const rows = new Map(kept.map((row) => [row.info.id, row]));
  for (const row of live) {
    const known = rows.get(row.info.id);
    if (known && isOver(known) && !isOver(row)) continue;
    rows.set(row.info.id, known ? { info: row.info, parts: unitedParts(known.parts, row.parts) } : row);
  }
  return [...rows.values()].sort(
    ({ info: one }, { info: other }) => one.time.created - other.time.created || (one.id < other.id ? -1 : 1),
  );
}

function isOver({ info }: MessageRow): boolean {
  return info.role === "assistant" && info.time.completed !== undefined;
}

function unitedParts(kept: MessageRow["parts"], live: MessageRow["parts"]): MessageRow["parts"] {
  const parts = new Map([...kept, ...live].map((part) => [part.id, part]));
  return [...parts.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Writes rows again that an older array has taken out of an inbox file. */
import { missingRows } from "../../core/inbox/missing-rows.ts";
import type { InboxRow } from "../../core/inbox/row.ts";
import { rowKey } from "../../core/inbox/row.ts";
import { keyInFile } from "./edit-inbox.ts";
import type { InboxFailure, InboxFile } from "./inbox-file.ts";

/** A row that was written, and the keys of rows that stood before it when it was last seen. */
export type RowWritten = { row: InboxRow; before: readonly string[] };

/** Keys. `gone`: taken or lost, which cannot be told. What is in neither list is in the file. */
export type Restored = { outcome: "restored"; restored: readonly string[]; gone: readonly string[] } | InboxFailure;

/** `written` in the order in which they were written; without those that were archived or are known to have been taken. */
export async function restoreMissing(inbox: InboxFile, written: readonly RowWritten[]): Promise<Restored> {
  const keyed = written.map(({ row, before }) => ({ key: keyInFile(row), before, row }));
  const byKey = new Map(keyed.map(({ key, row }) => [key, row]));
  const missingIn = (rows: readonly unknown[]) =>
    missingRows(
      rows.map(rowKey).filter((key) => key !== null),
      keyed,
    );

  const read = await inbox.peek();
  if (read.outcome === "failed") return read;
  const seen = missingIn(read.outcome === "missing" ? [] : read.rows);
  if (seen.restore.length === 0) return { outcome: "restored", restored: [], gone: seen.gone };

  // Decided anew under the lock: whoever takes rows may have taken them meanwhile.
  const restored = new Set<string>();
  let gone: readonly string[] = [...byKey.keys()];
  const changed = await inbox.change((rows) => {
    const missing = missingIn(rows);
    gone = missing.gone;
    if (missing.restore.length === 0) return null;
    for (const key of missing.restore) restored.add(key);
    return [...rows, ...missing.restore.map((key) => byKey.get(key))];
  });
  if (changed.outcome === "failed") return changed;
  for (const key of gone) restored.delete(key);
  return { outcome: "restored", restored: [...restored], gone };
}

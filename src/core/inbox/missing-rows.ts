/**
 * What it means that a row that was written is not in its file any more. Whoever takes rows takes the older ones, too; so a
 * row that is missing while one before it stands there was not taken: somebody wrote an older array back. Pure.
 */

export type WrittenRow = {
  key: string;
  /** Keys of rows that stood before it when it was last seen; at least the one that it was written behind. */
  before: readonly string[];
};

/** `older_array`: it has to be written again. `gone`: taken or lost, which cannot be told. */
export type WhyMissing = "older_array" | "gone";

export function whyMissing({ before }: WrittenRow, present: ReadonlySet<string>): WhyMissing {
  return before.some((key) => present.has(key)) ? "older_array" : "gone";
}

export type MissingRows = { restore: readonly string[]; gone: readonly string[] };

/** `written` in the order in which they were written: a row that is restored speaks for those that stood behind it. */
export function missingRows(present: Iterable<string>, written: readonly WrittenRow[]): MissingRows {
  const there = new Set(present);
  const restore: string[] = [];
  const gone: string[] = [];
  for (const row of written) {
    if (there.has(row.key)) continue;
    if (whyMissing(row, there) === "gone") {
      gone.push(row.key);
      continue;
    }
    restore.push(row.key);
    there.add(row.key);
  }
  return { restore, gone };
}

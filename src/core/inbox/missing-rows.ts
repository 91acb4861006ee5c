/**
 * Why a written row is missing from its file. A reader that takes a row also takes all older ones. So if a row is
 * missing while an earlier one is still present, it was not taken: something wrote an older array back. Pure.
 */

export type WrittenRow = {
  key: string;
  /** Keys of the rows before it when it was last seen; at least the row it was written after. */
  before: readonly string[];
};

/** `older_array`: it has to be written again. `gone`: taken or lost; the two cannot be told apart. */
export type WhyMissing = "older_array" | "gone";

export function whyMissing({ before }: WrittenRow, present: ReadonlySet<string>): WhyMissing {
  return before.some((key) => present.has(key)) ? "older_array" : "gone";
}

export type MissingRows = { restore: readonly string[]; gone: readonly string[] };

/** Expects `written` in write order: a restored row counts as present for the rows after it. */
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

/**
 * Builds the text of an inbox file with changed rows, and decides the outcome of rows that are appended. Rows that stay
 * keep their bytes. Pure.
 */
import type { InboxRow } from "../../../core/inbox/row.ts";
import { rowKey } from "../../../core/inbox/row.ts";
import type { ParsedInbox } from "./parse-inbox.ts";
import type { InboxFailure } from "./problems.ts";
import { tooLarge } from "./problems.ts";

const indent = "  ";

/** Formats rows like Claude Code, so that its rewrites keep the bytes before its change. */
export function rowText(row: unknown): string {
  return JSON.stringify(row, null, indent.length).replaceAll("\n", `\n${indent}`);
}

/** The key that others derive from the file: the key of the row after a JSON round trip. */
export function keyInFile(row: InboxRow): string {
  const key = rowKey(JSON.parse(JSON.stringify(row)));
  if (key === null) throw new TypeError("An inbox row must be an object.");
  return key;
}

/** Appends rows to the file, or starts a new one. */
export function withAppended(inbox: ParsedInbox | null, texts: readonly string[]): Buffer {
  const end = inbox?.ends.at(-1);
  const added = texts.join(`,\n${indent}`);
  if (inbox === null || end === undefined) return Buffer.from(`[\n${indent}${added}\n]`);
  return Buffer.concat([inbox.bytes.subarray(0, end), Buffer.from(`,\n${indent}${added}`), inbox.bytes.subarray(end)]);
}

/**
 * Replaces the rows; null if nothing changed. A row counts as unchanged only if it is the same object that was read.
 */
export function withRows(inbox: ParsedInbox, rows: readonly unknown[]): Buffer | null {
  if (rows.length === inbox.rows.length && rows.every((row, index) => row === inbox.rows[index])) return null;
  if (rows.length === 0) return Buffer.from("[]");
  const places = placesOf(inbox.rows);
  const pieces = rows.flatMap((row, index) => {
    const place = places.get(row)?.shift();
    const kept = place !== undefined && inbox.bytes.subarray(inbox.starts[place], inbox.ends[place]);
    return [Buffer.from(`${index === 0 ? "[" : ","}\n${indent}`), kept || Buffer.from(rowText(row))];
  });
  return Buffer.concat([...pieces, Buffer.from("\n]")]);
}

/** The indexes of each value; a number or string may occur several times. */
function placesOf(rows: readonly unknown[]): Map<unknown, number[]> {
  const places = new Map<unknown, number[]>();
  for (const [index, row] of rows.entries()) {
    const known = places.get(row);
    if (known) known.push(index);
    else places.set(row, [index]);
  }
  return places;
}

export type Appended =
  /** `behind`: the key of the nearest earlier row that was not written together with this one. */
  | { outcome: "appended"; behind: string | null }
  /** The file already has a row with that key; nothing was written. */
  | { outcome: "known" }
  | InboxFailure;

export type Waiting = {
  readonly key: string;
  readonly text: string;
  /** An earlier round has written it, so a row with its key is this one. */
  isWritten: boolean;
};

export type BatchPlan<W extends Waiting> = {
  /** Null if there is nothing to write. */
  bytes: Buffer | null;
  /** The rows that `bytes` adds. */
  added: readonly W[];
  /** The outcome of each row once `bytes` is written. */
  outcomes: ReadonlyMap<W, Appended>;
};

export function planBatch<W extends Waiting>(
  inbox: ParsedInbox | null,
  waiting: readonly W[],
  { path, maxBytes }: { path: string; maxBytes: number },
): BatchPlan<W> {
  const keys = inbox?.keys ?? [];
  const present = new Set(keys);
  const together = new Set(
    waiting.filter(({ key, isWritten }) => isWritten || !present.has(key)).map(({ key }) => key),
  );
  const outcomes = new Map<W, Appended>();
  const added: W[] = [];
  let size = inbox?.bytes.length ?? 0;
  for (const one of waiting) {
    const bytes = Buffer.byteLength(one.text) + aroundRow;
    if (present.has(one.key)) {
      outcomes.set(one, one.isWritten ? appended(keys, keys.lastIndexOf(one.key), together) : { outcome: "known" });
    } else if (size + bytes > maxBytes) {
      outcomes.set(one, tooLarge(path, size + bytes, maxBytes));
    } else {
      outcomes.set(one, appended(keys, keys.length, together));
      added.push(one);
      present.add(one.key);
      size += bytes;
    }
  }
  const texts = added.map(({ text }) => text);
  return { bytes: texts.length > 0 ? withAppended(inbox, texts) : null, added, outcomes };
}

/** At most: a comma or brackets, and the whitespace between two rows. */
const aroundRow = 6;

function appended(keys: readonly (string | null)[], place: number, together: ReadonlySet<string>): Appended {
  const before = keys.slice(0, Math.max(place, 0)).findLast((key) => key !== null && !together.has(key));
  return { outcome: "appended", behind: before ?? null };
}

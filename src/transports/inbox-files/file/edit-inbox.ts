/** Builds the text of an inbox file with changed rows. Rows that stay keep their bytes. Pure. */
import type { InboxRow } from "../../../core/inbox/row.ts";
import { rowKey } from "../../../core/inbox/row.ts";
import type { ParsedInbox } from "./parse-inbox.ts";

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

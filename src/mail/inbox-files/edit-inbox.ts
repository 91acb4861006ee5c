/** The text of an inbox file with other rows. Rows that stay keep their bytes. Pure. */
import type { InboxRow } from "../../core/inbox/row.ts";
import { rowKey } from "../../core/inbox/row.ts";
import type { ParsedInbox } from "./parse-inbox.ts";

const indent = "  ";

/** As Claude Code writes them: when it rewrites the file, what is before its change stays the same to the byte. */
export function rowText(row: unknown): string {
  return JSON.stringify(row, null, indent.length).replaceAll("\n", `\n${indent}`);
}

/** By which others find it in the file: that of what JSON makes of it. */
export function keyInFile(row: InboxRow): string {
  const key = rowKey(JSON.parse(JSON.stringify(row)));
  if (key === null) throw new TypeError("A row of an inbox is an object.");
  return key;
}

/** With rows behind those that are there; a new file where there is none. */
export function withAppended(inbox: ParsedInbox | null, texts: readonly string[]): Buffer {
  const end = inbox?.ends.at(-1);
  const added = texts.join(`,\n${indent}`);
  if (inbox === null || end === undefined) return Buffer.from(`[\n${indent}${added}\n]`);
  return Buffer.concat([inbox.bytes.subarray(0, end), Buffer.from(`,\n${indent}${added}`), inbox.bytes.subarray(end)]);
}

/** With these rows instead; null where they are the same. A row counts as left alone when it is the very object that was read. */
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

/** Where each value stands; a number or a text may stand in several places. */
function placesOf(rows: readonly unknown[]): Map<unknown, number[]> {
  const places = new Map<unknown, number[]>();
  for (const [index, row] of rows.entries()) {
    const known = places.get(row);
    if (known) known.push(index);
    else places.set(row, [index]);
  }
  return places;
}

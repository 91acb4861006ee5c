/**
 * Parses an inbox file into rows with their positions in the text, so that a rewrite keeps the bytes of the other rows.
 * Rows that were parsed before are not parsed again: a file mostly grows at its end. Pure.
 */
import { rowKey } from "../../../core/inbox/row.ts";

export type ParsedInbox = {
  readonly bytes: Buffer;
  readonly rows: readonly unknown[];
  /** Null for a value that is not a row. */
  readonly keys: readonly (string | null)[];
  /** The start and end of each row in `bytes`. */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
};

export type Damage = { readonly damage: string };

const [tab, newline, carriageReturn, space] = [0x09, 0x0a, 0x0d, 0x20];
const [quote, comma, backslash] = [0x22, 0x2c, 0x5c];
const [openBracket, closeBracket, openBrace, closeBrace] = [0x5b, 0x5d, 0x7b, 0x7d];

/** How many bytes are parsed before the event loop may run. */
const stepBytes = 64 * 1024;

/** Parses without yielding. */
export function parseInbox(bytes: Buffer, known: ParsedInbox | null = null): ParsedInbox | Damage {
  const steps = parseSteps(bytes, known);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Parses step by step, because a large file would block the event loop for long. */
export function* parseSteps(bytes: Buffer, known: ParsedInbox | null): Generator<undefined, ParsedInbox | Damage> {
  const kept = known === null ? 0 : sharedRows(bytes, known);
  const rows = known?.rows.slice(0, kept) ?? [];
  const keys = known?.keys.slice(0, kept) ?? [];
  const starts = known?.starts.slice(0, kept) ?? [];
  const ends = known?.ends.slice(0, kept) ?? [];
  const parsed = { bytes, rows, keys, starts, ends };

  let at = ends.at(-1) ?? skipSpace(bytes, 0);
  if (kept === 0) {
    if (at === bytes.length) return { damage: "it is empty" };
    if (bytes[at] !== openBracket) return { damage: "it is not a JSON array" };
    at = skipSpace(bytes, at + 1);
    if (bytes[at] === closeBracket) return onlySpaceBehind(parsed, at + 1);
  }
  let pausedAt = at;
  for (;;) {
    at = skipSpace(bytes, at);
    if (ends.length > 0) {
      if (bytes[at] === closeBracket) return onlySpaceBehind(parsed, at + 1);
      if (at === bytes.length) return { damage: "its array is not closed" };
      if (bytes[at] !== comma) return { damage: `a comma is missing between two rows at byte ${at}` };
      at = skipSpace(bytes, at + 1);
    }
    const end = endOfValue(bytes, at);
    const row = valueIn(bytes.toString("utf8", at, end));
    if (row === undefined) return { damage: `row ${rows.length + 1}, at byte ${at}, is not valid JSON` };
    rows.push(row);
    keys.push(rowKey(row));
    starts.push(at);
    ends.push(end);
    at = end;
    if (at - pausedAt < stepBytes) continue;
    pausedAt = at;
    yield;
  }
}

/** How many bytes are not parsed yet. */
export function bytesToParse(bytes: Buffer, known: ParsedInbox | null): number {
  const kept = known === null ? 0 : sharedRows(bytes, known);
  return bytes.length - (known?.ends[kept - 1] ?? 0);
}

/**
 * How many leading rows both share, including the byte after each: a number may have more digits. The last row is
 * always parsed again, since the byte after it changes whenever the file grows.
 */
function sharedRows(bytes: Buffer, known: ParsedInbox): number {
  let [shared, most] = [0, Math.max(0, known.ends.length - 1)];
  let comparedTo = 0;
  // Most files have only grown, so compare everything first.
  let count = most;
  while (shared < most) {
    const to = (known.ends[count - 1] ?? 0) + 1;
    if (to <= bytes.length && bytes.compare(known.bytes, comparedTo, to, comparedTo, to) === 0) {
      [shared, comparedTo] = [count, to];
    } else most = count - 1;
    count = (shared + most + 1) >> 1;
  }
  return shared;
}

function onlySpaceBehind(parsed: ParsedInbox, end: number): ParsedInbox | Damage {
  const at = skipSpace(parsed.bytes, end);
  return at === parsed.bytes.length ? parsed : { damage: `something follows its array, at byte ${at}` };
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === space || byte === newline || byte === tab || byte === carriageReturn;
}

/** Finds only the end; JSON.parse checks validity. All the characters that matter are single bytes in UTF-8. */
function endOfValue(bytes: Buffer, start: number): number {
  const first = bytes[start];
  if (first === quote) return endOfString(bytes, start);
  if (first !== openBrace && first !== openBracket) return endOfLiteral(bytes, start);
  let depth = 0;
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at) - 1;
    else if (byte === openBrace || byte === openBracket) depth++;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return at + 1;
  }
  return bytes.length;
}

function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === backslash) at++;
    else if (byte === quote) return at + 1;
  }
  return bytes.length;
}

function endOfLiteral(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== comma && bytes[at] !== closeBracket && !isSpace(bytes[at])) at++;
  return at;
}

/** Undefined, which is not a JSON value, if the text does not parse. */
function valueIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

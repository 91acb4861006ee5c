/** Splits formatted text into messages that Telegram accepts: not too long, and without too many entities. */
import type { MessageEntity } from "grammy/types";
import { breakPoint } from "./break-point.ts";
import { concatenated, endOf, type FormattedText, isCode, plainText, sortedEntities } from "./formatted-text.ts";
import { counterOf, cutWithCounters } from "./part-counter.ts";
import { rangeAt } from "./ranges.ts";
import { sliceFormatted } from "./slice-formatted.ts";

export type SplitText = {
  chunks: readonly FormattedText[];
  /** The text beyond `maxChunks`, to be sent as a file. */
  rest: string | null;
};

/** Telegram ignores any further entities. */
const maxEntities = 100;
const smallestLimit = 32;

/** If there are several chunks, each ends with a counter such as ` (2/5)`. Blank text has no chunks. */
export function splitText(formatted: FormattedText, limit = 4_096, maxChunks = Number.POSITIVE_INFINITY): SplitText {
  if (limit < smallestLimit) throw new RangeError(`A limit of ${limit} leaves no room for text and a counter`);
  const { text, entities } = formatted;
  if (text.length <= limit && entities.length <= maxEntities) return cut(formatted, limit, maxChunks);
  const expected = Math.min(maxChunks, Math.ceil(text.length / limit));
  const { chunks, rest } = cutWithCounters(
    expected,
    (counterLength) => cut(formatted, limit - counterLength - 1, maxChunks),
    (split) => split.chunks.length,
  );
  return { chunks: chunks.map((chunk, index) => withCounter(chunk, index, chunks.length)), rest };
}

function withCounter(chunk: FormattedText, index: number, count: number): FormattedText {
  return count === 1 ? chunk : concatenated([chunk, plainText(` ${counterOf(index, count)}`)]);
}

function cut(formatted: FormattedText, room: number, maxChunks: number): SplitText {
  const { text } = formatted;
  const entities = sortedEntities(formatted.entities);
  const code = entities.filter(isCode).map((entity) => ({ start: entity.offset, end: endOf(entity) }));
  const placeOf = (position: number) => (rangeAt(code, position) === null ? "outside" : "code");
  const chunks: FormattedText[] = [];
  let open: readonly MessageEntity[] = [];
  let upcoming = 0;
  for (let start = 0; start < text.length; ) {
    if (chunks.length >= maxChunks) return { chunks, rest: restOf(text, start) };
    const roomHere = Math.min(room, roomForEntities(entities, upcoming, open.length, start));
    const isLast = text.length - start <= roomHere;
    const { end, next } = isLast ? { end: text.length, next: text.length } : breakPoint(text, start, roomHere, placeOf);
    const first = upcoming;
    while ((entities[upcoming]?.offset ?? text.length) < end) upcoming += 1;
    const touching = [...open, ...entities.slice(first, upcoming)].slice(0, maxEntities);
    const chunk = sliceFormatted(text, touching, start, end);
    if (chunk.text !== "") chunks.push(chunk);
    open = touching.filter((entity) => endOf(entity) > next);
    start = next;
  }
  return { chunks, rest: null };
}

/** How far the text may go before there are too many entities. Unlimited if they all begin at the same place. */
function roomForEntities(entities: readonly MessageEntity[], upcoming: number, open: number, start: number): number {
  const tooMany = entities[upcoming + maxEntities - open];
  return tooMany === undefined || tooMany.offset - start < 2 ? Number.POSITIVE_INFINITY : tooMany.offset - start;
}

function restOf(text: string, start: number): string | null {
  const rest = text.slice(start);
  return rest.trim() === "" ? null : rest;
}

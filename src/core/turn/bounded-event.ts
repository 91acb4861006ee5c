/**
 * Keeps a single event from filling the store: parts that are too long are cut and marked. The event keeps its shape,
 * since only long texts, long lists and deep nesting from programs are cut. Pure.
 */

import type { Item } from "./item.ts";
import { growingText } from "./item.ts";
import type { UniversalEvent } from "./universal-event.ts";

/** The maximum length of an event's text. */
export const maxEventCharacters = 256 * 1024;

/** Tried in order. Everything Waybill itself writes into an event is far below the last of them. */
export const bounds = [
  { text: 64 * 1024, list: 1000, depth: 24 },
  { text: 16 * 1024, list: 200, depth: 16 },
  { text: 2048, list: 50, depth: 12 },
  { text: 256, list: 30, depth: 8 },
] as const;

type Bound = { text: number; list: number; depth: number };

/**
 * JSON.stringify overflows at a few thousand levels. A model can produce such an event, and it would block the events
 * of all lanes.
 */
const deepest: Bound = { text: Number.POSITIVE_INFINITY, list: Number.POSITIVE_INFINITY, depth: 100 };

function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return most === 0 || Object.values(value).some((one) => isDeeper(one, most - 1));
}

export function bounded(given: UniversalEvent): { event: UniversalEvent; text: string } {
  const event = isDeeper(given, deepest.depth) ? (shrunk(given, deepest, 0) as UniversalEvent) : given;
  const text = JSON.stringify(event);
  if (text.length <= maxEventCharacters) return { event, text };
  for (const bound of bounds) {
    const cut = shrunk(event, bound, 0) as UniversalEvent;
    const shorter = JSON.stringify(cut);
    if (shorter.length <= maxEventCharacters) return { event: cut, text: shorter };
  }
  return bounded({
    ...event,
    ...{ raw: undefined },
    type: "unparsed",
    data: { reason: `A ${event.type} of ${text.length} characters is too large to keep.` },
  });
}

/** A value shown next to others, cut to about `maxCharacters` of JSON. */
export function boundedValue(value: unknown, maxCharacters: number): unknown {
  if (typeof value === "string") return shortened(value, maxCharacters);
  if (typeof value !== "object" || value === null) return value;
  if (JSON.stringify(value).length <= maxCharacters) return value;
  for (const bound of bounds) {
    const cut = shrunk(value, bound, 0);
    if (JSON.stringify(cut).length <= maxCharacters) return cut;
  }
  return `[cut: ${JSON.stringify(value).length} characters]`;
}

export function shrunk(value: unknown, bound: Bound, depth: number): unknown {
  if (typeof value === "string") return shortened(value, bound.text);
  if (typeof value !== "object" || value === null) return value;
  if (depth > bound.depth) return "[cut]";
  if (Array.isArray(value)) return value.slice(0, bound.list).map((one) => shrunk(one, bound, depth + 1));
  const entries = Object.entries(value).slice(0, bound.list);
  return Object.fromEntries(entries.map(([key, one]) => [shortened(key, bound.text), shrunk(one, bound, depth + 1)]));
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // Do not end with half a surrogate pair.
  const end = /[\uD800-\uDBFF]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return `${text.slice(0, end)} [cut: ${text.length - end} characters more]`;
}

/** A text that is not shown in full, and its full length: the next delta starts there. */
type CutText = { item: string; part: string; length: number };

/**
 * The open items of a lane, for a reader that joins mid-turn: deltas are not kept, so the text so far is stored nowhere
 * else.
 */
export type LiveTurn = {
  /** The number of the running turn. */
  turn: number | null;
  /** Also null for a turn so long that its start is no longer kept. */
  startedAt: number | null;
  /** The open items, oldest first, with their content so far. */
  items: Item[];
  cut: CutText[];
};

/**
 * Limits it to the size of an event: first long texts are cut, then shorter ones, and finally all parts are dropped.
 */
export function boundedTurn(live: LiveTurn): LiveTurn {
  const { items } = live;
  if (fits(items)) return live;
  for (const bound of bounds) {
    const shorter = items.map((item) => shrunk(item, bound, 0) as Item);
    if (fits(shorter)) return { ...live, items: shorter, cut: cutTexts(items, shorter) };
  }
  const empty = items.map((item) => ({ ...item, parts: [] }));
  return { ...live, items: empty, cut: cutTexts(items, empty) };
}

function fits(items: readonly Item[]): boolean {
  return JSON.stringify(items).length <= maxEventCharacters;
}

function cutTexts(whole: readonly Item[], shorter: readonly Item[]): CutText[] {
  return whole.flatMap(({ id: item, parts }, index) =>
    parts.flatMap((one, place) => {
      const said = growingText(one);
      const shown = shorter[index]?.parts[place];
      if (!said || (shown && growingText(shown)?.text === said.text)) return [];
      return [{ item, part: said.part, length: said.text.length }];
    }),
  );
}

/**
 * Keeps one event from filling the store: what is too long in it is cut and says so. Pure. The shape stays what it was,
 * since only long texts, long lists and what programs nest without end are cut.
 */
import type { UniversalEvent } from "./universal-event.ts";

/** An event's text is never longer than this. */
export const maxEventCharacters = 256 * 1024;

/** Tried in turn. What Waybill itself writes into an event is far below the last of them. */
const bounds = [
  { text: 64 * 1024, list: 1000, depth: 24 },
  { text: 16 * 1024, list: 200, depth: 16 },
  { text: 2048, list: 50, depth: 12 },
  { text: 256, list: 30, depth: 8 },
] as const;

type Bound = { text: number; list: number; depth: number };

/**
 * A few thousand levels are too many to write as JSON. One such event would hold up those of all lanes, and a model can
 * make one.
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
    data: { reason: `A ${event.type} of ${text.length} characters is too large to be kept.` },
  });
}

function shrunk(value: unknown, bound: Bound, depth: number): unknown {
  if (typeof value === "string") return shortened(value, bound.text);
  if (typeof value !== "object" || value === null) return value;
  if (depth > bound.depth) return "[cut]";
  if (Array.isArray(value)) return value.slice(0, bound.list).map((one) => shrunk(one, bound, depth + 1));
  const entries = Object.entries(value).slice(0, bound.list);
  return Object.fromEntries(entries.map(([key, one]) => [shortened(key, bound.text), shrunk(one, bound, depth + 1)]));
}

function shortened(text: string, most: number): string {
  if (text.length <= most) return text;
  // Half a character at the end would be no text.
  const end = /[\uD800-\uDBFF]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return `${text.slice(0, end)} [cut: ${text.length - end} characters more]`;
}

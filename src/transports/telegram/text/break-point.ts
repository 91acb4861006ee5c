/**
 * Decides where to break a text that is too long: at an empty line, at a line outside code, at a line of code, at a
 * word, or between any two visible characters.
 */

/** `glued` is a line break where the text must not be broken, such as the one after an opening fence. */
export type Place = "outside" | "code" | "glued";

/** The part ends at `end`; the text continues at `next`. Only white space lies between them. */
export type BreakPoint = { end: number; next: number };

/** A break that fills less than this share of the room would make too many parts. */
const leastFilled = 1 / 4;

/** Requires more text after `start` than there is room for, and room for at least two units. */
export function breakPoint(
  text: string,
  start: number,
  room: number,
  placeOf: (position: number) => Place,
): BreakPoint {
  const line = lineBreak(text, start, room, placeOf);
  if (line !== null) return { end: line, next: placeOf(line) === "code" ? line + 1 : lineAfter(text, line) };
  const word = wordBreak(text, start, room);
  if (word !== null && placeOf(word) === "outside") return { end: word, next: word + 1 };
  const end = graphemeBoundary(text, start, start + room);
  return { end, next: end };
}

/** The best line break that fills enough of the room; the last one among equals. */
function lineBreak(text: string, start: number, room: number, placeOf: (position: number) => Place): number | null {
  const window = text.slice(start, start + room + 1);
  let best: { position: number; rank: number } | null = null;
  for (let at = window.lastIndexOf("\n"); at > 0 && at >= room * leastFilled; at = window.lastIndexOf("\n", at - 1)) {
    const position = start + at;
    const rank = rankOf(text, position, placeOf(position));
    if (rank > (best?.rank ?? 0)) best = { position, rank };
    if (rank === bestRank) break;
  }
  return best?.position ?? null;
}

const bestRank = 4;

/** Zero means not a candidate. An indented line belongs to the list item above it. */
function rankOf(text: string, position: number, place: Place): number {
  switch (place) {
    case "glued":
      return 0;
    case "code":
      return 1;
    case "outside": {
      const next = text[position + 1];
      if (next === " " || next === "\t") return 2;
      return text[position - 1] === "\n" ? bestRank : 3;
    }
    default:
      return place satisfies never;
  }
}

function wordBreak(text: string, start: number, room: number): number | null {
  const at = text.slice(start, start + room + 1).lastIndexOf(" ");
  return at > 0 && at >= room * leastFilled ? start + at : null;
}

function lineAfter(text: string, position: number): number {
  let next = position + 1;
  while (text[next] === "\n") next += 1;
  return next;
}

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Enough text after a position to tell whether a cluster continues there. */
const lookahead = 64;

/**
 * The last boundary between visible characters (an emoji, a flag, a letter with accents) at or before `position` and
 * after `start`, which must be a boundary. A cluster that fills the whole range is cut, but never inside a surrogate pair.
 */
export function graphemeBoundary(text: string, start: number, position: number): number {
  if (position >= text.length) return text.length;
  const cluster = graphemes.segment(text.slice(start, position + lookahead)).containing(position - start);
  const boundary = start + (cluster?.index ?? 0);
  if (boundary > start) return boundary;
  return isLowSurrogate(text.charCodeAt(position)) && position - 1 > start ? position - 1 : position;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

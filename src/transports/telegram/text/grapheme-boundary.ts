/** Where a text may be cut without breaking a character that a reader sees as one: an emoji, a flag, a letter with accents. */

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Enough of the text after a position to tell whether a cluster goes on there. */
const lookahead = 64;

/**
 * The last boundary at or before a position, and after `start`, which is a boundary itself. A cluster that fills all of
 * the text between them is cut, but never inside a surrogate pair.
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

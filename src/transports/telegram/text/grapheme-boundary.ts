/** Finds where a text can be cut without splitting a visible character: an emoji, a flag, a letter with accents. */

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });
/** Enough text after a position to tell whether a cluster continues there. */
const lookahead = 64;

/**
 * The last boundary at or before `position` and after `start`, which must be a boundary. A cluster that fills the whole
 * range is cut, but never inside a surrogate pair.
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

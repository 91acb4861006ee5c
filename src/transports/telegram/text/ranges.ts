/** Finds the range that contains a position. */

export type Range = { start: number; end: number };

/** The ranges must be sorted and must not overlap. */
export function rangeAt<T extends Range>(ranges: readonly T[], position: number): T | null {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range && range.start <= position ? range : null;
}

/** The counter at the end of each part of a long answer, such as `(2/5)`, and the room it takes. */

export function counterOf(index: number, count: number): string {
  return `(${index + 1}/${count})`;
}

/** Cuts with just enough room for the counters, whose number of digits is known only after cutting. */
export function cutWithCounters<T>(
  expectedCount: number,
  cut: (counterLength: number) => T,
  countOf: (result: T) => number,
): T {
  for (let digits = digitsOf(expectedCount); ; digits += 1) {
    const result = cut("(/)".length + 2 * digits);
    if (digitsOf(countOf(result)) <= digits) return result;
  }
}

function digitsOf(count: number): number {
  return String(count).length;
}

/**
 * Puts a prefix before each line of formatted text: indentation for a list item, a marker for a nested quote. Lines of
 * code get none, so that the code can be copied.
 */
import { endOf, type FormattedText } from "./formatted-text.ts";

/** The first line gets `first`; every other line that is not empty gets `rest`. */
export function prefixLines(formatted: FormattedText, first: string, rest: string): FormattedText {
  const { text, entities } = formatted;
  const places = lineStarts(formatted);
  const parts: string[] = [first];
  let from = 0;
  for (const place of places) {
    parts.push(text.slice(from, place), rest);
    from = place;
  }
  parts.push(text.slice(from));
  const shift = (position: number, count: number) => position + first.length + count * rest.length;
  const moved = entities.map((entity) => {
    const offset = shift(entity.offset, countUpTo(places, entity.offset));
    return { ...entity, offset, length: shift(endOf(entity), countUpTo(places, endOf(entity) - 1)) - offset };
  });
  return { text: parts.join(""), entities: moved };
}

/** Where the lines after the first begin, except empty lines and lines of code. Ascending. */
function lineStarts({ text, entities }: FormattedText): number[] {
  const blocks = entities.filter(({ type }) => type === "pre").sort((one, other) => one.offset - other.offset);
  const places: number[] = [];
  let block = 0;
  for (let at = text.indexOf("\n") + 1; at > 0; at = text.indexOf("\n", at) + 1) {
    for (let pre = blocks[block]; pre && endOf(pre) <= at; pre = blocks[block]) block += 1;
    const pre = blocks[block];
    const isCode = pre !== undefined && pre.offset <= at;
    if (!isCode && at < text.length && text[at] !== "\n") places.push(at);
  }
  return places;
}

/** How many of the ascending places are at or before a position. */
function countUpTo(places: readonly number[], position: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The beginning of a message in one line, to remind a person of it. */
import { graphemeBoundary } from "./break-point.ts";

const defaultLength = 80;
const ellipsis = "…";

/** Longer than the excerpt, because marks and empty lines are left out. */
const sourceOf = (text: string, max: number) => text.trimStart().slice(0, 4 * max + 2_000);

/** The first paragraph that has a letter or a digit, in at most `max` UTF-16 units. No mark of it opens a block. */
export function excerpt(text: string, max = defaultLength): string {
  const source = sourceOf(text, max);
  const withoutFences = source.replace(/^[ \t]*(?:`{3,}|~{3,}).*$/gm, "");
  const prose = hasWord(withoutFences) ? withoutFences : source;
  const paragraphs = prose.split(/\n\s*\n/).map(withoutMarks);
  return shortened(paragraphs.find(hasWord) ?? paragraphs.find((one) => one !== "") ?? "", max);
}

function hasWord(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** In one line, without the marks of headings, quotes and lists, and without those in pairs, such as `**`. */
function withoutMarks(paragraph: string): string {
  const line = paragraph.replace(/\s+/g, " ").trim();
  const words = line.replace(/^(?:(?:#{1,6}|[-+*>]) )+/, "").replace(/`{3,}|~{3,}/g, "");
  return words.replace(/(\*\*|__|~~|`{1,2})(?=\S)(.*?\S)\1/g, "$2");
}

/** Cuts after a word, unless that would use less than half of the room. */
function shortened(line: string, max: number): string {
  if (line.length <= max) return line;
  const end = graphemeBoundary(line, 0, max - ellipsis.length);
  const space = line.lastIndexOf(" ", end);
  const cut = space >= max / 2 ? space : end;
  return line.slice(0, cut).replace(/[\s,;:]+$/, "") + ellipsis;
}

/** The beginning of a text in one line without markup. */
import { formatMarkdown } from "./format-markdown.ts";
import { graphemeBoundary } from "./grapheme-boundary.ts";

/** Longer than the summary, because the source also contains markup and URLs. */
const sourceOf = (markdown: string, max: number) => markdown.trimStart().slice(0, 4 * max + 2_000);

/** The first block that has a letter or a digit, in at most `max` UTF-16 units. */
export function plainSummary(markdown: string, max: number): string {
  const blocks = formatMarkdown(sourceOf(markdown, max)).text.split(/\n{2,}/);
  const block = blocks.find((text) => /[\p{L}\p{N}]/u.test(text)) ?? blocks.find((text) => text !== "") ?? "";
  return shortened(block.replace(/\s+/g, " ").trim(), max);
}

/** Cuts after a word, unless that would use less than half of the room. */
function shortened(line: string, max: number): string {
  if (line.length <= max) return line;
  const end = graphemeBoundary(line, 0, max - ellipsis.length);
  const space = line.lastIndexOf(" ", end);
  const cut = space >= max / 2 ? space : end;
  return line.slice(0, cut).replace(/[\s,;:]+$/, "") + ellipsis;
}

const ellipsis = "…";

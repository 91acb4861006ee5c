/**
 * Cuts a long answer into sections that are parsed one by one, so that parsing time grows linearly. A long fence
 * becomes a section without being parsed. An ordinary answer is one section.
 */
import { fencedBlocks } from "./fenced-blocks.ts";

export type Section =
  | { kind: "markdown"; raw: string }
  | { kind: "code"; raw: string; text: string; info: string }
  | { kind: "text"; raw: string };

/** Parsing time of nested lists and quotes grows with the square of a section's length. */
const longestSection = 32_768;
/** As much as 16 full messages. The rest stays unparsed, since it is sent as a file. */
const longestAnswer = 65_536;

export function sectionsOf(markdown: string): readonly Section[] {
  if (markdown.length <= longestSection) return [{ kind: "markdown", raw: markdown }];
  const sections: Section[] = [];
  let from = 0;
  for (const block of fencedBlocks(markdown)) {
    if (block.prefix !== "" || block.end - block.start < longestSection / 8) continue;
    sections.push(...textSections(markdown.slice(from, block.start)));
    const text = markdown.slice(block.bodyStart, block.bodyEnd);
    sections.push({ kind: "code", raw: markdown.slice(block.start, block.end), text, info: block.info });
    from = block.end;
  }
  return withinBudget([...sections, ...textSections(markdown.slice(from))]);
}

/** Greedy: each section takes as many paragraphs as fit. */
function textSections(source: string): Section[] {
  const fenced = fencedBlocks(source);
  const sections: Section[] = [];
  let from = 0;
  let last = 0;
  let fence = 0;
  for (const { index } of source.matchAll(/\n\n(?=\S)/g)) {
    for (let block = fenced[fence]; block && block.end <= index; block = fenced[fence]) fence += 1;
    const block = fenced[fence];
    if (block && block.start < index) continue;
    if (index - from > longestSection && last > from) {
      sections.push(section(source.slice(from, last)));
      from = last;
    }
    last = index;
  }
  if (source.length - from > longestSection && last > from) {
    sections.push(section(source.slice(from, last)));
    from = last;
  }
  return [...sections, section(source.slice(from))];
}

function section(raw: string): Section {
  return { kind: raw.length > longestSection ? "text" : "markdown", raw };
}

function withinBudget(sections: readonly Section[]): readonly Section[] {
  let budget = longestAnswer;
  return sections.map((section) => {
    if (section.kind === "markdown") budget -= section.raw.length;
    return section.kind === "markdown" && budget < 0 ? { kind: "text", raw: section.raw } : section;
  });
}

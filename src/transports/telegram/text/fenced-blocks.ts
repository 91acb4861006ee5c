/** Finds fenced code in Markdown source in one pass, including in lists and quotes. */

export type FencedBlock = {
  /** The offset of the opening line. */
  start: number;
  /** The code, without the fences. */
  bodyStart: number;
  bodyEnd: number;
  /** Where the line after the closing fence begins, or the end of the source if the fence is not closed. */
  end: number;
  isClosed: boolean;
  /** The text before the fence: indentation, quote and list markers. */
  prefix: string;
  fence: string;
  info: string;
};

/** Real answers have no longer fences, and those could not be repeated in every part of a split answer. */
const opening = /^((?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t]){0,32})(`{3,32}(?=[^`]*$)|~{3,32}(?!~))(.*)$/;

/** A longer line is not a fence, and would slow down the pattern. */
const longestLine = 1_000;

export function fencedBlocks(markdown: string): readonly FencedBlock[] {
  const blocks: FencedBlock[] = [];
  const marks = /```|~~~/g;
  let open: FencedBlock | null = null;
  for (let mark = marks.exec(markdown); mark !== null; mark = marks.exec(markdown)) {
    const start = markdown.lastIndexOf("\n", mark.index) + 1;
    const newline = markdown.indexOf("\n", mark.index);
    const next = newline === -1 ? markdown.length : newline + 1;
    const line = next - start > longestLine ? "" : markdown.slice(start, next).trimEnd();
    if (open === null) open = openedBy(line, start, next, markdown.length);
    else if (closes(line, open.fence)) {
      blocks.push({ ...open, bodyEnd: start, end: next, isClosed: true });
      open = null;
    }
    marks.lastIndex = next;
  }
  return open === null ? blocks : [...blocks, open];
}

function openedBy(line: string, start: number, next: number, length: number): FencedBlock | null {
  const [, prefix, fence, info] = opening.exec(line) ?? [];
  if (prefix === undefined || fence === undefined || info === undefined || prefix.length > 32) return null;
  return { start, bodyStart: next, bodyEnd: length, end: length, isClosed: false, prefix, fence, info: info.trim() };
}

function closes(line: string, fence: string): boolean {
  const mark = line.replace(/^[ \t>]+/, "");
  return mark.length >= fence.length && mark === fence.charAt(0).repeat(mark.length);
}

/**
 * Fenced code in Markdown: puts text into a fence, finds fences in a source in one pass, including those in lists and
 * quotes, closes a fence at the end of one part of an answer, and opens it again in the next.
 */
/** The fence is longer than any run of backticks in the text. */
export function fence(text: string, language = ""): string {
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const marks = "`".repeat(Math.max(3, longest + 1));
  const body = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  return `${marks}${languageWord(language)}\n${body}${marks}`;
}

export function diffFence(diff: string): string {
  return fence(diff, "diff");
}

/** Only the first word: anything else could end the fence's line, or the fence. */
function languageWord(language: string): string {
  return /^[^\s`]+/.exec(language)?.[0] ?? "";
}

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
/** A longer info string is not repeated. */
const longestInfo = 32;

/** In the order of the source. */
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

/** The block that contains a position; null if it is outside code. */
export function blockAt(blocks: readonly FencedBlock[], position: number): FencedBlock | null {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle]?.end ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  const block = blocks[low];
  return block && block.start <= position ? block : null;
}

/** The closing fence needs the column of the opening one to belong to the same list item. */
export function closingLine(block: FencedBlock, isReopened: boolean): string {
  return (isReopened ? quoteMarks(block) : block.prefix.replace(/[^>\s]/g, " ")) + block.fence;
}

/** Without list markers: in a new part, an indented fence would be indented code. */
export function openingLine(block: FencedBlock): string {
  return quoteMarks(block) + block.fence + (block.info.length <= longestInfo ? block.info : "");
}

/** The prefix of each line of code in the next part. */
export function quoteMarks({ prefix }: FencedBlock): string {
  const end = prefix.lastIndexOf(">") + 1;
  return end === 0 ? "" : `${prefix.slice(0, end).trimStart()} `;
}

/** Code in a list item is indented with the item, which the next part does not have. */
export function withoutListIndent(code: string, block: FencedBlock): string {
  const width = block.prefix.length;
  if (width === 0 || block.prefix.includes(">")) return code;
  return code.replace(new RegExp(`^[ \\t]{1,${width}}`, "gm"), "");
}

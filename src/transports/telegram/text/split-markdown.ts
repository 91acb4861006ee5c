/** Splits Markdown source into messages. A fence that is split is closed and opened again. */
import { type BreakPoint, breakPoint, type Place } from "./break-point.ts";
import {
  blockAt,
  closingLine,
  type FencedBlock,
  fencedBlocks,
  openingLine,
  quoteMarks,
  withoutListIndent,
} from "./fenced-blocks.ts";

/** `rest`: the source beyond the allowed parts. */
export type SplitMarkdown = { parts: readonly string[]; rest: string | null };

const smallestLimit = 256;
/** A line break, the longest prefix and the longest fence. */
const closingRoom = 1 + 32 + 32;
/** Starts a new paragraph, outside fences, tables and headings. */
const separator = "\n\n";

/** If there are several parts, each ends with a paragraph such as `(2/5)`. Blank Markdown has no parts. */
export function splitMarkdown(markdown: string, limit: number, maxParts = Number.POSITIVE_INFINITY): SplitMarkdown {
  if (limit < smallestLimit) throw new RangeError(`A limit of ${limit} leaves no room for text, fences and a counter`);
  const source = markdown.replace(/\r\n?/g, "\n").trimEnd();
  if (source.length <= limit) return { parts: source === "" ? [] : [source], rest: null };
  // The number of digits in the counters is known only after cutting.
  for (let digits = 1; ; digits += 1) {
    const { parts, rest } = cut(source, limit - separator.length - "(/)".length - 2 * digits, maxParts);
    if (String(parts.length).length <= digits) return { parts: parts.length === 1 ? parts : numbered(parts), rest };
  }
}

function numbered(parts: readonly string[]): readonly string[] {
  return parts.map((part, index) => `${part}${separator}(${index + 1}/${parts.length})`);
}

function cut(source: string, room: number, maxParts: number): SplitMarkdown {
  const blocks = fencedBlocks(source);
  const parts: string[] = [];
  let reopened: FencedBlock | null = null;
  for (let start = 0; start < source.length; ) {
    const opening: string = reopened === null ? "" : reopening(source, start, reopened);
    if (parts.length >= maxParts) return { parts, rest: opening + bodyOf(source, start, source.length, reopened) };
    const part: PartEnd = partEnd(source, start, room - opening.length - closingRoom, blocks);
    const body = bodyOf(source, start, part.end, reopened);
    const closed =
      part.closes === null ? body.trimEnd() : `${body}\n${closingLine(part.closes, part.closes === reopened)}`;
    if (body.trim() !== "") parts.push(opening + closed);
    reopened = part.reopens;
    start = part.next;
  }
  return { parts, rest: null };
}

/** `closes`: the fence that the part has to close. `reopens`: the one that the next part opens again. */
type PartEnd = BreakPoint & { closes: FencedBlock | null; reopens: FencedBlock | null };

function partEnd(source: string, start: number, room: number, blocks: readonly FencedBlock[]): PartEnd {
  if (source.length - start <= room) {
    const open = blocks.at(-1)?.isClosed === false ? (blocks.at(-1) ?? null) : null;
    return { end: source.length, next: source.length, closes: open, reopens: null };
  }
  const { end, next } = breakPoint(source, start, room, (position) => placeOf(blocks, position));
  const block = blockAt(blocks, end);
  if (block === null || end === block.start || isBehind(block, end)) return { end, next, closes: null, reopens: null };
  const isAtClosing = block.isClosed && end >= block.bodyEnd - 1;
  if (isAtClosing) return { end: block.bodyEnd - 1, next: block.end, closes: block, reopens: null };
  return { end, next, closes: block, reopens: block };
}

/** The line break after a closing fence still belongs to the block. */
function isBehind(block: FencedBlock, position: number): boolean {
  return block.isClosed && position === block.end - 1;
}

/** A break after an opening fence would leave an empty block. */
function placeOf(blocks: readonly FencedBlock[], position: number): Place {
  const block = blockAt(blocks, position);
  if (block === null || isBehind(block, position)) return "outside";
  return position < block.bodyStart ? "glued" : "code";
}

function reopening(source: string, start: number, block: FencedBlock): string {
  const isMidLine = source[start - 1] !== "\n";
  return `${openingLine(block)}\n${isMidLine ? quoteMarks(block) : ""}`;
}

function bodyOf(source: string, start: number, end: number, reopened: FencedBlock | null): string {
  if (reopened === null) return source.slice(start, end);
  const codeEnd = Math.min(end, reopened.end);
  return withoutListIndent(source.slice(start, codeEnd), reopened) + source.slice(codeEnd, end);
}

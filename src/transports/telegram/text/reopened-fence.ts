/** How a fence is closed at the end of one part of an answer, and opened again in the next one. */
import type { FencedBlock } from "./fenced-blocks.ts";

/** A longer info string than this is not repeated. */
const longestInfo = 32;

/** The closing fence needs the column of the opening one, or else it would not belong to the same list item. */
export function closingLine(block: FencedBlock, isReopened: boolean): string {
  return (isReopened ? quoteMarks(block) : block.prefix.replace(/[^>\s]/g, " ")) + block.fence;
}

/** Without the marks of a list: in a part of its own, an indented fence would be indented code. */
export function openingLine(block: FencedBlock): string {
  return quoteMarks(block) + block.fence + (block.info.length <= longestInfo ? block.info : "");
}

/** What each line of the code begins with in the part that goes on. */
export function quoteMarks({ prefix }: FencedBlock): string {
  const end = prefix.lastIndexOf(">") + 1;
  return end === 0 ? "" : `${prefix.slice(0, end).trimStart()} `;
}

/** Code in a list item is indented as far as the item. The part that goes on has no such item. */
export function withoutListIndent(code: string, block: FencedBlock): string {
  const width = block.prefix.length;
  if (width === 0 || block.prefix.includes(">")) return code;
  return code.replace(new RegExp(`^[ \\t]{1,${width}}`, "gm"), "");
}

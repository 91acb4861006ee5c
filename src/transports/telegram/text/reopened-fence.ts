/** Closes a fence at the end of one part of an answer, and opens it again in the next. */
import type { FencedBlock } from "./fenced-blocks.ts";

/** A longer info string is not repeated. */
const longestInfo = 32;

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

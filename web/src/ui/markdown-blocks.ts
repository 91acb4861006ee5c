/**
 * Splits markdown into blocks that can be rendered one by one. While an answer streams only its last block changes,
 * so the work for each new word does not grow with the answer. Pure.
 */
const fence = /^ {0,3}(`{3,}|~{3,})/;
const listItem = /^ {0,3}(?:[-*+]|\d{1,9}[.)])\s/;

export function markdownBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block: string[] = [];
  let open: string | null = null;
  let isBlank = false;
  for (const line of text.split("\n")) {
    if (isBlank && open === null && block.length > 0 && beginsBlock(line, block)) {
      blocks.push(block.join("\n"));
      block = [];
    }
    const mark = fence.exec(line)?.[1];
    if (mark !== undefined && open === null) open = mark;
    else if (mark !== undefined && open !== null && mark[0] === open[0] && mark.length >= open.length) open = null;
    isBlank = line.trim() === "";
    if (!isBlank || block.length > 0) block.push(line);
  }
  if (block.length > 0) blocks.push(block.join("\n"));
  return blocks;
}

/** Indented text and further list items belong to the block before. */
function beginsBlock(line: string, block: readonly string[]): boolean {
  if (line.trim() === "" || /^\s{2,}/.test(line)) return false;
  const isList = listItem.test(block[0] ?? "");
  return !(isList && listItem.test(line));
}

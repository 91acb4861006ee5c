/** Aligned columns that fit the terminal. Pure. */
import type { Paint } from "./terminal.ts";
import { oneLine } from "./words.ts";

type Style = Parameters<Paint>[0];
export type Cell = string | { text: string; style: Style };

const gap = "  ";
const narrowest = 8;

/**
 * Cells are made safe to print here. A column in which nothing stands is left out; the widest ones are cut when the
 * lines would be too long.
 */
export function table(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width, paint }: { width: number; paint: Paint },
): string[] {
  const shown = rows.map((row) => row.map(shownCell));
  const columns = head
    .map((title, column) => ({ title, cells: shown.map((row) => row[column] ?? shownCell("")) }))
    .filter(({ cells }) => cells.some(({ text }) => text !== ""));
  const natural = columns.map(({ title, cells }) =>
    Math.max(...[title, ...cells.map(({ text }) => text)].map(displayWidth)),
  );
  const widths = fitted(natural, width - gap.length * (columns.length - 1));
  const line = (cells: readonly ShownCell[]) =>
    cells
      .map((cell, column) => padded(cell, widths[column] ?? 0, column === cells.length - 1, paint))
      .join(gap)
      .trimEnd();
  return [
    line(columns.map(({ title }) => ({ text: title, style: "dim" }))),
    ...rows.map((_, row) => line(columns.map(({ cells }) => cells[row] ?? shownCell("")))),
  ];
}

type ShownCell = { text: string; style: Style | null };

function shownCell(cell: Cell): ShownCell {
  return typeof cell === "string" ? { text: oneLine(cell), style: null } : { ...cell, text: oneLine(cell.text) };
}

/** By what is seen: colours take no place. */
function padded({ text, style }: ShownCell, width: number, last: boolean, paint: Paint): string {
  const cut = shortened(text, width);
  const blanks = last ? "" : " ".repeat(Math.max(0, width - displayWidth(cut)));
  return (style === null || cut === "" ? cut : paint(style, cut)) + blanks;
}

/** Takes from the widest column until all of it fits. */
function fitted(natural: readonly number[], room: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, 0) - room;
  while (excess > 0) {
    const widest = widths.indexOf(Math.max(...widths));
    const now = widths[widest] ?? 0;
    if (now <= narrowest) break;
    const others = widths.filter((_, column) => column !== widest);
    const step = Math.min(excess, Math.max(1, now - Math.max(narrowest, ...others)));
    widths[widest] = Math.max(narrowest, now - step);
    excess -= step;
  }
  return widths;
}

export function shortened(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += widthOf(character);
  return width;
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const none = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u;

/** As terminals draw it, near enough. */
function widthOf(character: string): number {
  if (none.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

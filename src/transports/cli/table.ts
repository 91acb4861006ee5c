/** Aligned columns that fit the terminal. Pure. */
import type { Paint } from "./terminal.ts";
import { oneLine } from "./words.ts";

type Style = Parameters<Paint>[0];
export type Cell = string | { text: string; style: Style };

const gap = "  ";
const narrowest = 8;

/** Cells are made safe to print here. Those of the widest columns are cut when the lines would be too long. */
export function table(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width, paint }: { width: number; paint: Paint },
): string[] {
  const texts = rows.map((row) => row.map((cell) => oneLine(typeof cell === "string" ? cell : cell.text)));
  const natural = head.map((title, column) =>
    Math.max(displayWidth(title), ...texts.map((row) => displayWidth(row[column] ?? ""))),
  );
  const widths = fitted(natural, width - gap.length * (head.length - 1));
  const line = (cells: readonly string[], style: (text: string, column: number) => string) =>
    cells
      .map((text, column) => {
        const cut = shortened(text, widths[column] ?? 0);
        const last = column === cells.length - 1;
        return style(cut, column) + (last ? "" : " ".repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cut))));
      })
      .join(gap)
      .trimEnd();
  return [
    line(head, (text) => paint("dim", text)),
    ...texts.map((row, index) =>
      line(row, (text, column) => {
        const cell = rows[index]?.[column];
        return typeof cell === "object" ? paint(cell.style, text) : text;
      }),
    ),
  ];
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

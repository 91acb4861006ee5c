/** Formats aligned columns that fit the terminal, and lists of names and values. Pure. */

import type { CommandContext, CommandInput, Options } from "../command.ts";
import { printResult, textOption } from "../command.ts";
import { usageError } from "../errors.ts";
import { oneLine } from "./format.ts";
import type { Paint, Style } from "./terminal.ts";
import { terminalWidth } from "./terminal.ts";

export type StyledText = { text: string; style?: Style };
export type Cell = string | StyledText;

const gap = "  ";
const minColumnWidth = 8;

/** Makes cells safe to print, omits empty columns, and cuts the widest columns if lines would be too long. */
export function table(
  head: readonly string[],
  rows: readonly (readonly Cell[])[],
  { width, paint }: { width: number; paint: Paint },
): string[] {
  const columns = head
    .map((title, column) => ({ title, cells: rows.map((row) => safeCell(row[column] ?? "")) }))
    .filter(({ cells }) => cells.some(({ text }) => text !== ""))
    .map(({ title, cells }) => [{ text: title, style: "dim" }, ...cells] satisfies StyledText[]);
  const natural = columns.map((cells) => Math.max(...cells.map(({ text }) => displayWidth(text))));
  const widths = fittingWidths(natural, width - gap.length * (columns.length - 1));
  const line = (row: number) =>
    columns
      .map((cells, column) => padded(cells[row] ?? safeCell(""), widths[column] ?? 0, paint))
      .join(gap)
      .trimEnd();
  return [0, ...rows.map((_, row) => row + 1)].map(line);
}

/** Omits null values. Values must be safe to print; they may have colours and several lines. */
export function fieldLines(fields: readonly (readonly [string, string | null])[], paint: Paint): string[] {
  const present = fields.filter((field): field is readonly [string, string] => field[1] !== null);
  const width = Math.max(0, ...present.map(([name]) => name.length));
  const indentation = `\n${" ".repeat(width + gap.length)}`;
  return present.map(([name, value]) => paint("dim", name.padEnd(width)) + gap + value.replaceAll("\n", indentation));
}

function safeCell(cell: Cell): StyledText {
  return typeof cell === "string" ? { text: oneLine(cell) } : { ...cell, text: oneLine(cell.text) };
}

/** Pads by visible width: colours have none. */
function padded({ text, style }: StyledText, width: number, paint: Paint): string {
  const cut = truncated(text, width);
  const blanks = " ".repeat(Math.max(0, width - displayWidth(cut)));
  return (style === undefined || cut === "" ? cut : paint(style, cut)) + blanks;
}

/** Narrows the widest column until all columns fit. */
function fittingWidths(natural: readonly number[], available: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, 0) - available;
  while (excess > 0) {
    const width = Math.max(...widths);
    if (width <= minColumnWidth) break;
    const widest = widths.indexOf(width);
    const others = widths.toSpliced(widest, 1);
    const step = Math.min(excess, Math.max(1, width - Math.max(minColumnWidth, ...others)));
    widths[widest] = width - step;
    excess -= step;
  }
  return widths;
}

export function truncated(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let cut = "";
  let used = 0;
  for (const character of text) {
    used += characterWidth(character);
    if (used > width - 1) break;
    cut += character;
  }
  return `${cut.trimEnd()}…`;
}

export function displayWidth(text: string): number {
  let width = 0;
  for (const character of text) width += characterWidth(character);
  return width;
}

const wide =
  /\p{Emoji_Presentation}|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|[\u{20000}-\u{3fffd}]/u;
const invisible = /\p{Mn}|\p{Me}|[\u200b-\u200d]/u;

/** Approximately as terminals draw it. */
function characterWidth(character: string): number {
  if (invisible.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

export const pagingOptions: Options = {
  limit: textOption("N", "the maximum number, 1 to 200 (default 20)"),
  cursor: textOption("C", "the next page: `nextCursor` from the previous one"),
};

export function pageRequest(input: CommandInput, command: string): { limit: number; cursor: string | undefined } {
  const value = input.value("limit") ?? "20";
  const limit = Number(value);
  if (/^\d+$/.test(value) && limit >= 1 && limit <= 200) return { limit, cursor: input.value("cursor") };
  throw usageError(`--limit must be a number from 1 to 200, not ${value}`, command);
}

type TableContent = { head: readonly string[]; rows: readonly (readonly Cell[])[]; emptyNote: string };

export function printList(context: CommandContext, list: object, { head, rows, emptyNote }: TableContent): number {
  const { json, printNote, paint } = context;
  if (rows.length === 0 && !json) printNote(emptyNote);
  const lines = rows.length === 0 ? [] : table(head, rows, { width: terminalWidth(), paint });
  const exitCode = printResult(context, list, lines);
  if ("nextCursor" in list && !json) printNote("There are more: --limit N shows up to 200.");
  return exitCode;
}

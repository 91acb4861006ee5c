/** Formats a table as monospaced text, with columns aligned by display width. */
import type { Token, Tokens } from "marked";
import { displayWidth } from "./display-width.ts";
import { formatInline } from "./format-inline.ts";
import type { FormattedText } from "./formatted-text.ts";
import { preformatted } from "./style.ts";
import { tableRows } from "./table-rows.ts";

type Alignment = Tokens.Table["align"][number];

/** A wider cell pushes its own row out of alignment instead of padding every other row. */
const widestColumn = 48;
/** A table that would grow by more than this, and to more than four times its length, stays as written. */
const longestPadding = 4_096;

export function formatTable(table: Tokens.Table): FormattedText {
  const [header = [], ...rows] = tableRows(table).map((cells) => cells.map(cellText));
  const widths = header.map((_, column) => columnWidth([header, ...rows], column));
  const paddedLength = (rows.length + 2) * widths.reduce((sum, width) => sum + width + 3, 0);
  if (paddedLength > longestPadding + 4 * table.raw.length) return preformatted(table.raw, "");
  const rule = widths.map((width) => "-".repeat(width)).join("-|-");
  const lines = [header, ...rows].map((cells) => formatRow(cells, widths, table.align));
  return preformatted([lines[0], rule, ...lines.slice(1)].join("\n"), "");
}

function cellText(tokens: readonly Token[]): string {
  return formatInline(tokens, "text").text.replace(/\s+/g, " ").trim();
}

function columnWidth(rows: readonly string[][], column: number): number {
  const widths = rows.map((cells) => displayWidth(cells[column] ?? ""));
  return widths.filter((width) => width <= widestColumn).reduce((widest, width) => Math.max(widest, width), 1);
}

function formatRow(cells: readonly string[], widths: readonly number[], align: readonly Alignment[]): string {
  const padded = widths.map((width, column) => pad(cells[column] ?? "", width, align[column] ?? null));
  return padded.join(" | ").trimEnd();
}

function pad(cell: string, width: number, alignment: Alignment): string {
  const missing = Math.max(0, width - displayWidth(cell));
  const left = alignment === "right" ? missing : alignment === "center" ? missing >> 1 : 0;
  return " ".repeat(left) + cell + " ".repeat(missing - left);
}

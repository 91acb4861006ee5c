/**
 * The cells of a table. GitHub's rules drop cells beyond the header's columns, which happens when an agent writes a
 * pipe in code without escaping it. Such a row is parsed again, so that nothing is lost.
 */
import type { Token, Tokens } from "marked";
import { lexLine } from "./lex-markdown.ts";

/** Rows of cells, the header first. No row has more cells than the header. */
export function tableRows(table: Tokens.Table): readonly (readonly Token[])[][] {
  const lines = table.raw.split("\n").slice(2);
  const rows = table.rows.map((row, index) => {
    const excess = excessCells(lines[index] ?? "", table.header.length);
    return excess === null ? row.map(({ tokens }) => tokens) : excess.map(lexLine);
  });
  return [table.header.map(({ tokens }) => tokens), ...rows];
}

/** Null for a row that fits the header's columns. */
function excessCells(line: string, columns: number): readonly string[] | null {
  if (split(line, /\\.|\|/g).length <= columns) return null;
  const cells = split(line, /\\.|(`+)[^`]+\1|\|/g);
  return [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(" | ")];
}

/** Cuts a row at bare pipes. The other matches of the pattern are text in which a pipe does not separate cells. */
function split(line: string, pattern: RegExp): string[] {
  const row = line.trim().replace(/^\|/, "");
  const cells: string[] = [];
  let from = 0;
  for (const match of row.matchAll(pattern)) {
    if (match[0] !== "|") continue;
    cells.push(cell(row.slice(from, match.index)));
    from = match.index + 1;
  }
  const last = cell(row.slice(from));
  return last === "" ? cells : [...cells, last];
}

function cell(source: string): string {
  return source.trim().replaceAll("\\|", "|");
}

/**
 * The cells of a table. GitHub's rules drop the cells of a row that has more of them than the header, which happens when
 * an agent writes a pipe in code without escaping it. Such a row is read again, so that nothing is lost.
 */
import type { Token, Tokens } from "marked";
import { lexLine } from "./lex-markdown.ts";

/** Rows of cells, the header first. Every row has at most as many cells as the header. */
export function tableRows(table: Tokens.Table): readonly (readonly Token[])[][] {
  const lines = table.raw.split("\n").slice(2);
  const rows = table.rows.map((row, index) => {
    const excess = excessCells(lines[index] ?? "", table.header.length);
    return excess === null ? row.map(({ tokens }) => tokens) : excess.map(lexLine);
  });
  return [table.header.map(({ tokens }) => tokens), ...rows];
}

/** Null for a row that the header has enough columns for. */
function excessCells(line: string, columns: number): readonly string[] | null {
  if (split(line, /\\.|\|/g).length <= columns) return null;
  const cells = split(line, /\\.|(`+)[^`]+\1|\|/g);
  return [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(" | ")];
}

/** Cuts a row at the matches that are a bare pipe. The other matches are what hides one. */
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

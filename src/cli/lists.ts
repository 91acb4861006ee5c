/** For commands that print a list: the paging options, and the table. */
import type { CommandContext, CommandInput, Options } from "./command.ts";
import { printResult, textOption } from "./command.ts";
import { usageError } from "./errors.ts";
import type { Cell } from "./output/table.ts";
import { table } from "./output/table.ts";
import { terminalWidth } from "./output/terminal.ts";

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

/** Lists that come in pages. */
import type { CommandInput } from "./command.ts";
import { usageError } from "./usage-error.ts";

export function limitOf(input: CommandInput, command: string): number {
  const value = input.value("limit") ?? "20";
  const limit = Number(value);
  if (/^\d+$/.test(value) && limit >= 1 && limit <= 200) return limit;
  throw usageError(`--limit is a number from 1 to 200, not ${value}`, command);
}

export function moreHint({ nextCursor }: { nextCursor?: string }, remark: (line: string) => void): void {
  if (nextCursor !== undefined) remark("There are more: --limit N shows up to 200.");
}

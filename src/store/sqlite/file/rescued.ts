/** Copies of a store that were made because its file was removed while it was open. */
import { existsSync, readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { AppError } from "../../../platform/app-error.ts";
import { shellQuote } from "../../../platform/shell-quote.ts";

/** The name of a complete copy. */
export function rescuedName(path: string, now: number): string {
  return `${path}.rescued-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`;
}

/** An empty store in place of the removed one would silently forget what is in the copy. */
export function refuseForgotten(path: string): void {
  if (existsSync(path)) return;
  const copy = newestCopy(path);
  if (copy === null) return;
  throw new AppError({
    code: "store_replaced",
    message: `The store ${path} does not exist any more. Its content was saved as ${copy}.`,
    hint: `Run \`waybill store restore ${shellQuote(copy)}\` to continue with it, or move it away to start with an empty store.`,
  });
}

function newestCopy(path: string): string | null {
  const directory = dirname(path);
  if (!existsSync(directory)) return null;
  const copies = readdirSync(directory).filter((name) => name.startsWith(`${basename(path)}.rescued-`));
  const newest = copies.toSorted().at(-1);
  return newest === undefined ? null : join(directory, newest);
}

/** Saves the content of an open store whose file was removed, and finds such copies. */
import { existsSync, readdirSync, renameSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type Database from "better-sqlite3";
import { AppError } from "../../platform/app-error.ts";
import { shellQuote } from "../../platform/shell-quote.ts";
import { copyOpenStore, discardStore } from "./copy-store.ts";
import { syncToDisk } from "./file/file-access.ts";

/** Returns the path of the copy, which has that name only once it is complete. */
export async function rescueStore(db: Database.Database, path: string, now: number): Promise<string> {
  const unfinished = `${path}.rescuing`;
  // Remove the leftovers of an interrupted rescue.
  discardStore(unfinished);
  await copyOpenStore(db, unfinished);
  const to = rescuedName(path, now);
  renameSync(unfinished, to);
  syncToDisk(to);
  return to;
}

/** The name of a complete copy. */
function rescuedName(path: string, now: number): string {
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

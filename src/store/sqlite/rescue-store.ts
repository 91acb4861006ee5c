/** Saves the content of an open store whose file was removed. */
import { renameSync } from "node:fs";
import type Database from "better-sqlite3";
import { copyOpenStore, discardStore } from "./copy-store.ts";
import { syncToDisk } from "./file/private-file.ts";
import { rescuedName } from "./file/rescued.ts";

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

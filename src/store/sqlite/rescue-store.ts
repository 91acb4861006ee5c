/** Saves what an open store holds after its file was taken away. */
import { renameSync } from "node:fs";
import type Database from "better-sqlite3";
import { copyOpenStore, discardStore } from "./copy-store.ts";
import { syncToDisk } from "./file/private-file.ts";
import { rescuedName } from "./file/rescued.ts";

/** Returns where the copy is. It has that name only once it is complete. */
export async function rescueStore(db: Database.Database, path: string, now: number): Promise<string> {
  const unfinished = `${path}.rescuing`;
  // What a rescue that was cut short has left behind.
  discardStore(unfinished);
  await copyOpenStore(db, unfinished);
  const to = rescuedName(path, now);
  renameSync(unfinished, to);
  syncToDisk(to);
  return to;
}

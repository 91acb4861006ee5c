/**
 * Puts a store's file aside under another name before another one takes its place, with everything that is only in
 * the log beside it. A damaged file is kept as it is. Until the new file is there, the old one stays where it was.
 */
import { copyFileSync, existsSync, constants as fs, linkSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { syncToDisk } from "./file/private-file.ts";
import { checkFile } from "./housekeeping.ts";
import { openFile } from "./open-file.ts";

/** Returns where the store now also is, or null when there was none. */
export function keepAside(path: string, as: string): string | null {
  if (existsSync(path) && isSound(path)) foldIn(path);
  const parts = ["", "-wal", "-journal"].filter((suffix) => existsSync(`${path}${suffix}`));
  for (const suffix of parts) {
    addName(`${path}${suffix}`, `${as}${suffix}`);
    syncToDisk(`${as}${suffix}`);
  }
  // SQLite would take a log that it finds beside the new file for the new file's own.
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(`${path}${suffix}`, { force: true });
  return parts.length > 0 ? as : null;
}

function isSound(path: string): boolean {
  try {
    const db = openFile(path, { readonly: true });
    try {
      return checkFile(db, true).length === 0;
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}

/** Moves the log into the file, so that the file is complete by itself. Where that fails, the log is kept beside it. */
function foldIn(path: string): void {
  const db = new Database(path, { fileMustExist: true, timeout: 5000 });
  try {
    db.pragma("wal_checkpoint(TRUNCATE)");
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
  } finally {
    db.close();
  }
}

/** A second name for the same bytes; a copy only where the filesystem has no such thing. */
function addName(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    copyFileSync(path, name, fs.COPYFILE_EXCL);
  }
}

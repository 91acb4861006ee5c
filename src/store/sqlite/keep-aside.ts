/**
 * Keeps a store's file under another name before it is replaced, including everything that is only in its log. A
 * damaged file is kept as it is. The old file stays in place until the new one is ready.
 */
import { copyFileSync, existsSync, constants as fs, linkSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { syncToDisk } from "./file/file-access.ts";
import { checkFile } from "./housekeeping.ts";
import { openFile } from "./open-file.ts";

/** Returns the additional path of the store; null if there was none. */
export function keepAside(path: string, as: string): string | null {
  if (existsSync(path) && isSound(path)) foldIn(path);
  const parts = ["", "-wal", "-journal"].filter((suffix) => existsSync(`${path}${suffix}`));
  for (const suffix of parts) {
    addName(`${path}${suffix}`, `${as}${suffix}`);
    syncToDisk(`${as}${suffix}`);
  }
  // SQLite would take a log next to the new file for the new file's own.
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

/** Moves the log into the file, so that the file is self-contained. If that fails, the log is kept next to it. */
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

/** A hard link; a copy only where the filesystem has none. */
function addName(path: string, name: string): void {
  try {
    linkSync(path, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") throw error;
    copyFileSync(path, name, fs.COPYFILE_EXCL);
  }
}

/** Opens a store file safely, or reports why not. A refusal never changes the file. */
import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { createPrivateFile, refuseUnusable } from "./file/file-access.ts";
import { storeCorrupt, storeProblem, storeUnavailable } from "./file/file-errors.ts";
import { checkFile, checkOpenDeliveries } from "./housekeeping.ts";
import { refuseNewer, schemaVersion, versionOf } from "./migrate.ts";

export function openFile(path: string, options: { readonly?: boolean; suspicious?: boolean } = {}): Database.Database {
  try {
    if (options.readonly) return connect(path, true);
    refuseUnusable(path);
    createPrivateFile(path);
    inspect(path, options.suspicious ?? false);
    return connect(path, false);
  } catch (error) {
    throw storeProblem(path, error);
  }
}

function connect(path: string, readonly: boolean): Database.Database {
  // SQLite would report a failing disk.
  if (statSync(path).isDirectory()) throw storeUnavailable(path, "it is a directory");
  const db = new Database(path, { readonly, fileMustExist: true, timeout: 5000 });
  try {
    if (!readonly) db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    // 32 MB. Many steps change the same pages, and a checkpoint writes each of them once.
    db.pragma("wal_autocheckpoint = 8000");
    // Up to 16 MB. Lanes that move concurrently write to pages far from each other.
    db.pragma("cache_size = -16384");
    db.pragma("foreign_keys = ON");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A pass over a file of this size takes a moment; larger files are checked after the start. */
const smallBytes = 64 * 1024 * 1024;
/** A time limit, because there may be many open deliveries. */
const openCheckMs = 1000;

/** Opening for writing moves the log into the file, even if it is just closed again, so the checks come first. */
function inspect(path: string, suspicious: boolean): void {
  const db = connect(path, true);
  try {
    refuseNewer(db, path);
    readSchema(db);
    const isQuick = statSync(path).size <= smallBytes;
    // After a process died with the store open, check whatever it costs.
    const [finding] = isQuick || suspicious ? checkFile(db, true) : [];
    if (finding) throw storeCorrupt(path, undefined, finding);
    if (versionOf(db) !== schemaVersion) return;
    const [broken] = checkOpenDeliveries(db, performance.now() + openCheckMs);
    if (broken) throw storeCorrupt(path, undefined, broken);
  } finally {
    db.close();
  }
}

/** SQLite only opens a file when it is first read; this is that read. */
export function readSchema(db: Database.Database): void {
  db.prepare("SELECT count(*) FROM sqlite_schema").get();
}

/** Opens a store file the safe way, or says in plain words why not. The file is never changed by a refusal. */
import { statSync } from "node:fs";
import Database from "better-sqlite3";
import { refuseUnusable } from "./file/file-access.ts";
import { storeCorrupt, storeProblem, storeUnavailable } from "./file/file-errors.ts";
import { createPrivateFile } from "./file/private-file.ts";
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
  // SQLite would call it a failing disk.
  if (statSync(path).isDirectory()) throw storeUnavailable(path, "it is a directory");
  const db = new Database(path, { readonly, fileMustExist: true, timeout: 5000 });
  try {
    if (!readonly) db.pragma("journal_mode = WAL");
    db.pragma("synchronous = FULL");
    // 32 MB. Many steps change the same pages, and a checkpoint writes each of them once.
    db.pragma("wal_autocheckpoint = 8000");
    // 16 MB, as it is needed. Lanes that move at once write to pages far from each other.
    db.pragma("cache_size = -16384");
    db.pragma("foreign_keys = ON");
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** A pass over a file of this size takes a moment; a larger one is checked after the start. */
const smallBytes = 64 * 1024 * 1024;
/** For the open deliveries, of which there may be many. */
const openCheckMs = 1000;

/** A writing connection moves its log into the file even when it is only closed again, so this looks beforehand. */
function inspect(path: string, suspicious: boolean): void {
  const db = connect(path, true);
  try {
    refuseNewer(db, path);
    readSchema(db);
    const isQuick = statSync(path).size <= smallBytes;
    // Whatever it costs after a process died with the store open.
    const [finding] = isQuick || suspicious ? checkFile(db, true) : [];
    if (finding) throw storeCorrupt(path, undefined, finding);
    if (versionOf(db) !== schemaVersion) return;
    const [broken] = checkOpenDeliveries(db, performance.now() + openCheckMs);
    if (broken) throw storeCorrupt(path, undefined, broken);
  } finally {
    db.close();
  }
}

/** SQLite opens a file when it is first read; this is that read. */
export function readSchema(db: Database.Database): void {
  db.prepare("SELECT count(*) FROM sqlite_schema").get();
}

/**
 * Backs up, checks and restores a store's file for a person. Backing up and checking only read, and work while a daemon
 * has the store open. Restoring needs the daemon to be stopped, and discards nothing.
 */
import { copyFileSync, existsSync, constants as fs, linkSync, renameSync, rmSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../../platform/app-error.ts";
import type { Restored, StoreInspection } from "../administration.ts";
import type { Finding } from "../port.ts";
import { copyStore, discardStore } from "./copy-store.ts";
import { realStorePath, refuseNetworkFilesystem, refuseUnusable, syncToDisk } from "./file/file-access.ts";
import { storeCorrupt, storeProblem } from "./file/file-errors.ts";
import { lockStore, storeHolder } from "./file/lock.ts";
import { checkFile, checkOpenDeliveries, checkStore } from "./housekeeping.ts";
import { endOfLog } from "./log/log.ts";
import { migrate, refuseNewer, schemaVersion, versionOf } from "./migrate.ts";
import { openFile } from "./open-file.ts";
import { refuseForgotten } from "./rescue-store.ts";

/** Makes a copy and checks it, so that every existing backup can be restored. */
export async function backupStore(path: string, to: string): Promise<void> {
  await copyStore(path, to);
  const [finding] = checkStoreFile(to);
  if (!finding) return;
  discardStore(to);
  throw new AppError({
    code: "store_corrupt",
    message: `The store ${path} was not backed up because its copy is damaged: ${finding.subject} ${finding.problem}.`,
    hint: "Run `waybill store check` to see everything that is wrong with it.",
  });
}

/** Returns everything that is wrong with a store. Throws only if the file cannot be read at all. */
export function checkStoreFile(path: string): Finding[] {
  try {
    const db = openFile(path, { readonly: true });
    try {
      return versionProblem(db) ?? checkVersioned(db);
    } finally {
      db.close();
    }
  } catch (error) {
    return [asFinding(path, error)];
  }
}

/** A file that SQLite does not understand is a finding; one that it cannot read is an error. */
function asFinding(path: string, error: unknown): Finding {
  const problem = storeProblem(path, error);
  if (problem instanceof AppError && problem.code !== "store_corrupt") throw problem;
  const cause = problem instanceof AppError ? problem.cause : problem;
  if (!(cause instanceof Database.SqliteError)) throw problem;
  return { subject: "file", problem: `is damaged: ${cause.message}` };
}

/** The rules of this version do not apply to an older one. It is checked in full after it is migrated. */
function checkVersioned(db: Database.Database): Finding[] {
  return versionOf(db) < schemaVersion ? checkFile(db) : checkStore(db);
}

function versionProblem(db: Database.Database): Finding[] | null {
  const version = versionOf(db);
  if (version === 0) return [{ subject: "file", problem: "is not a Waybill store" }];
  if (version <= schemaVersion) return null;
  return [{ subject: "file", problem: `has version ${version}; this program knows versions up to ${schemaVersion}` }];
}

/** Replaces the store with a backup. Until the last step, which is a rename, the store is unchanged. */
export async function restoreStore(named: string, from: string, now = Date.now()): Promise<Restored> {
  refuseNetworkFilesystem(named);
  // A symbolic link stays a link, to the restored store.
  const path = realStorePath(named);
  const lock = lockStore(path, now);
  const fresh = `${path}.restoring`;
  try {
    // Remove the leftovers of an interrupted restore.
    discardStore(fresh);
    const toBeRebuilt = await prepare(fresh, from, now);
    const keptAs = keepAside(path, `${path}.before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, "-")}`);
    renameSync(fresh, path);
    syncToDisk(path);
    lock.release();
    return { keptAs, toBeRebuilt };
  } catch (error) {
    discardStore(fresh);
    lock.abandon();
    throw storeProblem(path, error);
  }
}

/** Makes a checked copy of the backup, migrated to this version and ready to start on. */
async function prepare(fresh: string, from: string, now: number): Promise<number> {
  try {
    await copyStore(from, fresh);
  } catch (error) {
    throw error instanceof AppError && error.code === "store_corrupt" ? unusable(from, error) : error;
  }
  refuseUnsound(from, checkStoreFile(fresh));
  const db = openFile(fresh);
  try {
    migrateBackup(db, from);
    refuseUnsound(from, checkStore(db));
    const toBeRebuilt = forgetUnsent(db);
    raiseFloors(db, now);
    // Leaves no log next to the file, which would stay behind after the rename.
    db.pragma("journal_mode = DELETE");
    return toBeRebuilt;
  } finally {
    db.close();
    syncToDisk(fresh);
  }
}

function migrateBackup(db: Database.Database, from: string): void {
  try {
    migrate(db, from);
  } catch (error) {
    throw error instanceof AppError ? unusable(from, error) : error;
  }
}

/**
 * Messages that waited when the backup was made may have been sent since. Without a record, a message is searched in
 * the lane's sessions before it counts as new.
 */
function forgetUnsent(db: Database.Database): number {
  return db
    .prepare(`
      DELETE FROM delivery
      WHERE status = 'pending' AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.delivery_seq = delivery.message_seq)`)
    .run().changes;
}

/**
 * Seconds since the epoch are above every counted generation, and above those of an earlier restore. Log positions
 * handed out after the backup would be reused: none is above the milliseconds since the epoch, and a reader with a
 * lower cursor learns that something may be missing.
 */
function raiseFloors(db: Database.Database, now: number): void {
  const floor = Math.max(now, endOfLog(db));
  db.prepare("UPDATE store_state SET log_floor = @floor, log_end = @floor").run({ floor });
  db.prepare("INSERT INTO restored (at, generation_floor, log_floor) VALUES (?, ?, ?)").run(
    now,
    Math.floor(now / 1000),
    floor,
  );
}

function refuseUnsound(from: string, [finding]: readonly Finding[]): void {
  if (finding) throw unusable(from, `${finding.subject} ${finding.problem}.`);
}

function unusable(from: string, why: string | AppError): AppError {
  return new AppError({
    code: "backup_unusable",
    message: `The backup ${from} was not restored: ${typeof why === "string" ? why : why.message}`,
    hint: "Choose another backup. The store was left as it is.",
    cause: typeof why === "string" ? undefined : why,
  });
}

/**
 * Keeps a store's file under another name before it is replaced, including everything that is only in its log. A damaged
 * file is kept as it is. Returns the additional path of the store; null if there was none.
 */
function keepAside(path: string, as: string): string | null {
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

/** A quick inspection that changes nothing, even while the store is in use. */
export function inspectStore(path: string): StoreInspection {
  try {
    refuseNetworkFilesystem(path);
    refuseForgotten(realStorePath(path));
    if (!existsSync(path)) return { state: "absent" };
    // Before it is opened: opening would leave files next to it that are just as unwritable.
    refuseUnusable(realStorePath(path));
    return { state: "sound", heldBy: storeHolder(path), ...readStore(path) };
  } catch (error) {
    const problem = storeProblem(path, error);
    if (problem instanceof AppError) return { state: "error", error: problem };
    throw problem;
  }
}

function readStore(path: string): { version: number; newestAt: number | null } {
  const db = openFile(path, { readonly: true });
  try {
    refuseNewer(db, path);
    const version = versionOf(db);
    // A start that was interrupted at its first step leaves an empty file, and the next start fills it.
    if (version === 0 && db.prepare("SELECT 1 FROM sqlite_schema").get() === undefined)
      return { version, newestAt: null };
    if (version === 0) throw storeCorrupt(path, undefined, { subject: "file", problem: "is not a Waybill store" });
    const [finding] = checkFile(db, true);
    if (finding) throw storeCorrupt(path, undefined, finding);
    const [broken] = version === schemaVersion ? checkOpenDeliveries(db, Number.POSITIVE_INFINITY) : [];
    if (broken) throw storeCorrupt(path, undefined, broken);
    const newest =
      "SELECT max((SELECT max(created_at) FROM message), coalesce((SELECT max(updated_at) FROM delivery), 0))";
    return { version, newestAt: db.prepare(newest).pluck().get() as number | null };
  } finally {
    db.close();
  }
}

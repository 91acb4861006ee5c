/**
 * What a person does with a store's file: back it up, check it, go back to a backup. Backing up and checking only
 * read, and work while a daemon has the store open. Restoring takes the daemon's place, and throws nothing away.
 */
import { renameSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import type { Finding } from "../port.ts";
import { copyStore, discardStore } from "./copy-store.ts";
import { realStorePath } from "./file/file-access.ts";
import { storeProblem } from "./file/file-errors.ts";
import { lockStore } from "./file/lock.ts";
import { refuseNetworkFilesystem } from "./file/network-filesystem.ts";
import { syncToDisk } from "./file/private-file.ts";
import { checkFile, checkStore } from "./housekeeping.ts";
import { keepAside } from "./keep-aside.ts";
import { endOfLog } from "./log/log.ts";
import { migrate, schemaVersion, versionOf } from "./migrate.ts";
import { openFile } from "./open-file.ts";

export type Restored = {
  /** Where the store that was there before is now, or null when there was none. */
  keptAs: string | null;
  /** Messages that may have been sent after the backup was made; the next start looks for them before it sends. */
  toBeRebuilt: number;
};

/** Makes a copy and checks it: a backup that exists is one that can be restored. */
export async function backupStore(path: string, to: string): Promise<void> {
  await copyStore(path, to);
  const [finding] = checkStoreFile(to);
  if (!finding) return;
  discardStore(to);
  throw new AppError({
    code: "store_corrupt",
    message: `The store ${path} was not backed up, because its copy is not sound: ${finding.subject} ${finding.problem}.`,
    hint: "Run `waybill store check` to see everything that is wrong with it.",
  });
}

/** Everything that is wrong with a store, or nothing. Throws only when the file cannot be read at all. */
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

/** That SQLite cannot make sense of a file is what a check is there to find; that it cannot read it is not. */
function asFinding(path: string, error: unknown): Finding {
  const problem = storeProblem(path, error);
  if (problem instanceof AppError && problem.code !== "store_corrupt") throw problem;
  const cause = problem instanceof AppError ? problem.cause : problem;
  if (!(cause instanceof Database.SqliteError)) throw problem;
  return { subject: "file", problem: `is damaged: ${cause.message}` };
}

/** The rules of an older version are not ours to judge by; it is checked in full once it was migrated. */
function checkVersioned(db: Database.Database): Finding[] {
  return versionOf(db) < schemaVersion ? checkFile(db) : checkStore(db);
}

function versionProblem(db: Database.Database): Finding[] | null {
  const version = versionOf(db);
  if (version === 0) return [{ subject: "file", problem: "is not a Waybill store" }];
  if (version <= schemaVersion) return null;
  return [{ subject: "file", problem: `has version ${version}; this program knows versions up to ${schemaVersion}` }];
}

/** Puts a backup in the place of the store. Until the last step, which is a rename, the store is what it was. */
export async function restoreStore(named: string, from: string, now = Date.now()): Promise<Restored> {
  refuseNetworkFilesystem(named);
  // A symbolic link stays one, to what was restored.
  const path = realStorePath(named);
  const lock = lockStore(path, now);
  const fresh = `${path}.restoring`;
  try {
    // What a restore that was cut short has left behind.
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

/** A copy of the backup that is checked, of this version, and ready to be started on. */
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
    // Leaves no log beside the file, which would stay behind when it is renamed.
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
 * What waited when the backup was made may have been sent since. Without a record, a message is looked for in the
 * lane's sessions before it counts as new.
 */
function forgetUnsent(db: Database.Database): number {
  return db
    .prepare(`
      DELETE FROM delivery
      WHERE status = 'pending' AND NOT EXISTS (SELECT 1 FROM attempt WHERE attempt.delivery_seq = delivery.message_seq)`)
    .run().changes;
}

/**
 * Seconds since the epoch lie above every generation that was counted up, and above those of an earlier restore. Positions of
 * the log that were given out after the backup would be given to other things: above the milliseconds since the epoch none
 * has been, and every cursor below that is told that something may be missing.
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

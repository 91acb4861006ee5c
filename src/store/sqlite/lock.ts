/**
 * One process at a time may write to a store. The lock is a small database beside the store whose write lock is held
 * for as long as the process lives: the kernel lets go of it when the process dies, however it dies, so there is
 * nothing stale to break and no process id to trust. The row in it only tells others who holds it.
 */
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import { isDiskTrouble, storeTrouble } from "./file-trouble.ts";
import { createPrivateFile } from "./private-file.ts";

export type StoreLock = {
  /** The process before this one ended without closing the store. */
  leftOpen: boolean;
  /** The store was closed in good order. */
  release(): void;
  /** Lets go without vouching for the file: whoever comes next is as suspicious of it as this one was. */
  abandon(): void;
};

export function lockStore(path: string, now: number): StoreLock {
  const db = openLock(path);
  try {
    db.exec("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL, since INTEGER NOT NULL)");
    db.exec("BEGIN IMMEDIATE");
    const leftOpen = readHolder(db) !== null;
    db.exec("DELETE FROM holder");
    db.prepare("INSERT INTO holder (pid, since) VALUES (?, ?)").run(process.pid, now);
    // Committed so that others can read it, and taken again at once.
    db.exec("COMMIT");
    db.exec("BEGIN IMMEDIATE");
    return { leftOpen, release: () => letGo(db, true), abandon: () => letGo(db, !leftOpen) };
  } catch (error) {
    const refusal = isBusy(error) ? locked(path, readHolder(db), error) : lockTrouble(path, error);
    db.close();
    throw refusal;
  }
}

/** Who has the store open at this moment; null when nobody does. The process id is only what the holder wrote down. */
export function storeHolder(path: string): { pid: number | null } | null {
  if (!existsSync(`${path}.lock`)) return null;
  const db = new Database(`${path}.lock`, { fileMustExist: true, timeout: 100 });
  try {
    db.exec("BEGIN IMMEDIATE");
    db.exec("ROLLBACK");
    return null;
  } catch (error) {
    if (!isBusy(error)) throw lockTrouble(path, error);
    return { pid: readHolder(db)?.pid ?? null };
  } finally {
    db.close();
  }
}

function openLock(path: string): Database.Database {
  try {
    createPrivateFile(`${path}.lock`);
    // A little patience, since somebody who only asks who the holder is keeps the holder from committing meanwhile.
    return new Database(`${path}.lock`, { timeout: 250 });
  } catch (error) {
    throw storeTrouble(path, error);
  }
}

function letGo(db: Database.Database, clean: boolean): void {
  if (!db.open) return;
  try {
    if (clean) db.exec("DELETE FROM holder");
    db.exec("COMMIT");
  } catch (error) {
    // On a full disk the row stays, and whoever comes next looks twice. The lock itself goes with the descriptor.
    if (!isDiskTrouble(error)) throw error;
  } finally {
    db.close();
  }
}

function readHolder(db: Database.Database): { pid: number } | null {
  try {
    return (db.prepare("SELECT pid FROM holder").get() as { pid: number } | undefined) ?? null;
  } catch (error) {
    // The other one is between its two transactions; that it is there is known anyway.
    if (isBusy(error) || /no such table/.test(String(error))) return null;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

function locked(path: string, holder: { pid: number } | null, cause: unknown): AppError {
  return new AppError({
    code: "store_locked",
    message: `The store ${path} is in use by ${holder ? `process ${holder.pid}` : "another process"}.`,
    hint: "Stop that Waybill first, or point WAYBILL_HOME at another directory.",
    cause,
  });
}

function lockTrouble(path: string, error: unknown): unknown {
  const trouble = storeTrouble(path, error);
  if (!(trouble instanceof AppError) || trouble.code !== "store_corrupt") return trouble;
  return new AppError({
    code: "store_unavailable",
    message: `The lock file ${path}.lock is damaged. The store itself was not touched.`,
    hint: "Make sure that no Waybill uses this store, then delete the lock file: nothing of value is in it.",
    cause: error,
  });
}

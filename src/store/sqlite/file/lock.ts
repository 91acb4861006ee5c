/**
 * A lock that one process at a time holds. The file is a small database whose write lock is kept for as long as the
 * process lives. The kernel releases it when the process dies, however it dies, so there is nothing stale to break and
 * no process id to trust. The row in it only tells others who holds it. A store has such a file next to it.
 */
import { existsSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError } from "../../../platform/app-error.ts";
import type { HeldLock, LockHolder, LockOutcome } from "../../administration.ts";
import { createPrivateFile, realStorePath } from "./file-access.ts";
import { isFileError, storeProblem } from "./file-errors.ts";

export function lockStore(path: string, now: number): HeldLock {
  const outcome = withWords(path, () => takeLock(lockOf(path), now));
  if (!outcome.taken) throw locked(path, outcome);
  return outcome.lock;
}

/** The process that has the store open. Does not take the lock. */
export function storeHolder(path: string): LockHolder | null {
  return withWords(path, () => askLock(lockOf(path)));
}

/** Next to the real file, so that every symbolic link finds the same lock. */
function lockOf(path: string): string {
  return `${realStorePath(path)}.lock`;
}

function withWords<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw lockError(path, error);
  }
}

function locked(path: string, { holder, cause }: Extract<LockOutcome, { taken: false }>): AppError {
  return new AppError({
    code: "store_locked",
    message: `The store ${path} is in use by ${holder.pid === null ? "another process" : `process ${holder.pid}`}.`,
    hint: "Stop that Waybill first, or point WAYBILL_HOME at another directory.",
    cause,
  });
}

function lockError(path: string, error: unknown): unknown {
  const problem = storeProblem(path, error);
  if (!(problem instanceof AppError) || problem.code !== "store_corrupt") return problem;
  return new AppError({
    code: "store_unavailable",
    message: `The lock file ${lockOf(path)} is damaged. The store itself was not touched.`,
    hint: "Make sure that no Waybill uses this store, then delete the lock file. It holds no data.",
    cause: error,
  });
}

// A short wait, because a process that only asks for the holder blocks the holder's commit for a moment.
const patience = { timeout: 250 };

export function takeLock(file: string, now: number): LockOutcome {
  createPrivateFile(file);
  const db = new Database(file, patience);
  try {
    db.exec("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL, since INTEGER NOT NULL)");
    db.exec("BEGIN IMMEDIATE");
    const leftOpen = readHolder(db) !== null;
    db.exec("DELETE FROM holder");
    db.prepare("INSERT INTO holder (pid, since) VALUES (?, ?)").run(process.pid, now);
    // Committed so that others can read it, and taken again immediately.
    db.exec("COMMIT");
    db.exec("BEGIN IMMEDIATE");
    return { taken: true, lock: { leftOpen, release: () => letGo(db, true), abandon: () => letGo(db, !leftOpen) } };
  } catch (cause) {
    const holder = isBusy(cause) ? { pid: readHolder(db) } : null;
    db.close();
    if (!holder) throw cause;
    return { taken: false, holder, cause };
  }
}

/**
 * The current holder, or null. The row alone would not tell, because it outlives a killed process. So this tries the
 * write lock and releases it immediately; other processes wait long enough for that.
 */
export function askLock(file: string): LockHolder | null {
  if (!existsSync(file)) return null;
  const db = new Database(file, { ...patience, fileMustExist: true });
  try {
    db.exec("BEGIN IMMEDIATE");
    db.exec("ROLLBACK");
    return null;
  } catch (error) {
    if (!isBusy(error)) throw error;
    return { pid: readHolder(db) };
  } finally {
    db.close();
  }
}

function letGo(db: Database.Database, clean: boolean): void {
  if (!db.open) return;
  try {
    if (clean) db.exec("DELETE FROM holder");
    db.exec("COMMIT");
  } catch (error) {
    // On a full disk, or without its file, the row stays, and the next holder checks more. The lock itself is released
    // with the descriptor.
    if (!isFileError(error)) throw error;
  } finally {
    db.close();
  }
}

function readHolder(db: Database.Database): number | null {
  try {
    return (db.prepare("SELECT pid FROM holder").pluck().get() as number | undefined) ?? null;
  } catch (error) {
    // The holder is between its two transactions; that it exists is known anyway.
    if (isBusy(error) || /no such table/.test(String(error))) return null;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code.startsWith("SQLITE_BUSY");
}

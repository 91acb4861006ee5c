/**
 * One process at a time may write to a store. The lock is a small database beside the store whose write lock is held
 * for as long as the process lives: the kernel lets go of it when the process dies, however it dies, so there is
 * nothing stale to break and no process id to trust. The row in it only tells others who holds it.
 */
import Database from "better-sqlite3";
import { AppError } from "../../app-error.ts";
import { createPrivateFile } from "./private-file.ts";

export type StoreLock = {
  /** The process before this one ended without closing the store. */
  leftOpen: boolean;
  release(): void;
};

export function lockStore(path: string, now: number): StoreLock {
  const lockPath = `${path}.lock`;
  createPrivateFile(lockPath);
  const db = new Database(lockPath, { timeout: 0 });
  try {
    db.exec("CREATE TABLE IF NOT EXISTS holder (pid INTEGER NOT NULL, since INTEGER NOT NULL)");
    db.exec("BEGIN IMMEDIATE");
    const leftOpen = readHolder(db) !== null;
    db.exec("DELETE FROM holder");
    db.prepare("INSERT INTO holder (pid, since) VALUES (?, ?)").run(process.pid, now);
    // Committed so that others can read it, and taken again at once.
    db.exec("COMMIT");
    db.exec("BEGIN IMMEDIATE");
    return { leftOpen, release: () => release(db) };
  } catch (error) {
    const holder = isBusy(error) ? readHolder(db) : null;
    db.close();
    if (!isBusy(error)) throw error;
    throw new AppError({
      code: "store_locked",
      message: `The store ${path} is in use by ${holder ? `process ${holder.pid}` : "another process"}.`,
      hint: "Stop that Waybill first, or point WAYBILL_HOME at another directory.",
      cause: error,
    });
  }
}

function release(db: Database.Database): void {
  db.exec("DELETE FROM holder");
  db.exec("COMMIT");
  db.close();
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

/**
 * Copies a consistent snapshot of a store while others read and write it. The copy is one self-contained file, and
 * nothing is left behind if it cannot be finished.
 */
import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { createPrivateFile, syncToDisk } from "./file/file-access.ts";
import { storeProblem } from "./file/file-errors.ts";
import { openFile, readSchema } from "./open-file.ts";

export async function copyStore(from: string, to: string): Promise<void> {
  const source = openFile(from, { readonly: true });
  try {
    holdStill(source, from);
    await copyOpenStore(source, to);
  } finally {
    source.close();
  }
}

/** Copies what a connection reads, even if its file has no name any more. */
export async function copyOpenStore(source: Database.Database, to: string): Promise<void> {
  reserve(to);
  await fill(source, to);
}

/** Holds one state of the store for the whole copy. Without it, every write of a busy daemon would restart the copy. */
function holdStill(source: Database.Database, path: string): void {
  try {
    source.exec("BEGIN");
    readSchema(source);
  } catch (error) {
    throw storeProblem(path, error);
  }
}

function reserve(to: string): void {
  let made: boolean;
  try {
    made = createPrivateFile(to);
  } catch (error) {
    throw copyFailed(to, error);
  }
  if (made) return;
  throw new AppError({
    code: "backup_exists",
    message: `The file ${to} already exists. It was left as it is.`,
    hint: "Choose another name: a backup never replaces another file.",
  });
}

async function fill(source: Database.Database, to: string): Promise<void> {
  try {
    await source.backup(to);
    makeSingleFile(to);
    syncToDisk(to);
  } catch (error) {
    discardStore(to);
    throw copyFailed(to, error);
  }
}

/**
 * The copy's header says that it has a log next to it, like the store. It must work without one wherever it is moved.
 */
function makeSingleFile(path: string): void {
  const db = new Database(path, { fileMustExist: true });
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}

/** Removes a store's file and the files that SQLite keeps next to it. */
export function discardStore(path: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${path}${suffix}`, { force: true });
}

function copyFailed(to: string, cause: unknown): AppError {
  return new AppError({
    code: "backup_failed",
    message: `The copy ${to} could not be written: ${messageOf(cause)}.`,
    hint: "Choose a place that exists, is writable and has enough room. The store itself was not touched.",
    cause,
  });
}

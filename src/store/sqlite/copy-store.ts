/**
 * Copies a store as it stands at one moment, while others read and write it. The copy is one file that is complete by
 * itself, and nothing is left behind when it cannot be finished.
 */
import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import { AppError, messageOf } from "../../app-error.ts";
import { storeProblem } from "./file/file-errors.ts";
import { createPrivateFile, syncToDisk } from "./file/private-file.ts";
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

/** Copies what a connection reads, also when its file has no name any more. */
export async function copyOpenStore(source: Database.Database, to: string): Promise<void> {
  reserve(to);
  await fill(source, to);
}

/** One state of the store for the whole copy: without it, every write of a busy daemon would make it start over. */
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
    message: `There is a file ${to} already. It was left as it is.`,
    hint: "Choose another name: a backup never takes the place of another file.",
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

/** The copy says that it has a log beside it, as the store has; it must do without one wherever it is carried. */
function makeSingleFile(path: string): void {
  const db = new Database(path, { fileMustExist: true });
  try {
    db.pragma("journal_mode = DELETE");
  } finally {
    db.close();
  }
}

/** Removes a store's file and what SQLite keeps beside it. */
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

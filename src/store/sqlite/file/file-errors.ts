/** Turns what SQLite and the filesystem throw into words that somebody can act on. What is unknown stays as it is. */
import Database from "better-sqlite3";
import { AppError, messageOf } from "../../../app-error.ts";

export function storeProblem(path: string, error: unknown): unknown {
  const code = codeOf(error);
  if (code === "SQLITE_NOTADB" || code.startsWith("SQLITE_CORRUPT")) return storeCorrupt(path, error);
  if (isDiskError(error)) return storeUnwritable(error);
  if (code.startsWith("SQLITE_BUSY")) {
    return new AppError({
      code: "store_locked",
      message: `The store ${path} is in use by another program.`,
      hint: "Close whatever has the file open, then try again.",
      retryable: true,
      cause: error,
    });
  }
  if (code === "ENOENT") return storeUnavailable(path, "it does not exist", error);
  return cannotOpen.test(code) ? storeUnavailable(path, messageOf(error), error) : error;
}

export function storeUnavailable(path: string, why: string, cause?: unknown): AppError {
  return new AppError({
    code: "store_unavailable",
    message: `The store ${path} cannot be opened: ${why}.`,
    hint: "Check that the path is right, and that its directory exists and is writable.",
    cause,
  });
}

export function storeCorrupt(path: string, cause?: unknown): AppError {
  return new AppError({
    code: "store_corrupt",
    message: `The store ${path} is damaged. It was left as it is.`,
    hint: "Run `waybill store check` to see how badly, and `waybill store restore BACKUP` to go back to a backup.",
    cause,
  });
}

export function storeUnwritable(cause: unknown): AppError {
  return new AppError({
    code: "store_unwritable",
    message: `The store could not be written: ${messageOf(cause)}.`,
    hint: "Free some disk space or make the store's directory writable; nothing was changed.",
    retryable: true,
    cause,
  });
}

/** The disk is full or failing. That is never the fault of what was to be written. */
export function isDiskError(error: unknown): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR.*|ENOSPC|EDQUOT|EIO)$/.test(codeOf(error));
}

const cannotOpen =
  /^(SQLITE_(CANTOPEN|READONLY|PERM).*|ENOTDIR|EISDIR|EEXIST|ENOENT|EACCES|EPERM|EROFS|ELOOP|ENAMETOOLONG)$/;

function codeOf(error: unknown): string {
  if (error instanceof Database.SqliteError) return error.code;
  if (error instanceof Error && "syscall" in error && "code" in error) return String(error.code);
  return "";
}

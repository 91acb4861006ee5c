/** Turns errors of SQLite and the filesystem into words that a person can act on. Unknown errors stay as they are. */
import Database from "better-sqlite3";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import type { Finding } from "../../port.ts";

export function storeProblem(path: string, error: unknown): unknown {
  const code = codeOf(error);
  if (isDamage(error)) return storeCorrupt(path, error);
  if (isDiskError(error)) return storeUnwritable(error);
  if (code.startsWith("SQLITE_BUSY")) {
    return new AppError({
      code: "store_locked",
      message: `The store ${path} is in use by another program.`,
      hint: "Close the program that has the file open, then try again.",
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

export function storeCorrupt(path: string, cause?: unknown, finding?: Finding): AppError {
  return new AppError({
    code: "store_corrupt",
    message: finding
      ? `The store ${path} is damaged: ${finding.subject} ${finding.problem}. It was left as it is.`
      : `The store ${path} is damaged. It was left as it is.`,
    hint: "Run `waybill store check` to see how badly, and `waybill store restore BACKUP` to go back to a backup.",
    cause,
  });
}

/** `file` is the store's own file, or one that SQLite keeps next to it. */
export function storeReplaced(path: string, file: string): AppError {
  const itself = file === path;
  return new AppError({
    code: "store_replaced",
    message: `${file} was deleted or replaced while Waybill had the store open. Nothing more is written.`,
    hint: itself
      ? "Its content is saved next to it as a .rescued file. Stop Waybill, run `waybill store restore` with that file (or put the store back), and start again."
      : "The store's content is saved next to it as a .rescued file. Stop Waybill with Ctrl-C or SIGTERM, which completes the store, and start again.",
  });
}

export function storeUnwritable(cause: unknown): AppError {
  const mayPass = isDiskError(cause);
  return new AppError({
    code: "store_unwritable",
    message: `The store could not be written: ${messageOf(cause)}.`,
    hint: mayPass
      ? "Free some disk space or make the store's directory writable; nothing was changed."
      : "Make the store's files and their directory writable; nothing was changed.",
    retryable: mayPass,
    cause,
  });
}

/** The error for the writers of a failed commit. */
export function commitProblem(path: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  return isDamage(error) ? storeCorrupt(path, error) : storeUnwritable(error);
}

/** The disk is full or failing. That is never the fault of the data. */
export function isDiskError(error: unknown): boolean {
  return /^(SQLITE_FULL|SQLITE_IOERR.*|ENOSPC|EDQUOT|EIO)$/.test(codeOf(error));
}

/** SQLite cannot interpret what it reads. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_(NOTADB|CORRUPT.*)$/.test(codeOf(error));
}

/** Concerns the file and not a row, so it fails everything in the transaction. */
export function isFileError(error: unknown): boolean {
  return isDiskError(error) || isDamage(error) || /^SQLITE_(CANTOPEN|READONLY|PERM).*$/.test(codeOf(error));
}

const cannotOpen =
  /^(SQLITE_(CANTOPEN|READONLY|PERM).*|ENOTDIR|EISDIR|EEXIST|ENOENT|EACCES|EPERM|EROFS|ELOOP|ENAMETOOLONG)$/;

function codeOf(error: unknown): string {
  if (error instanceof Database.SqliteError) return error.code;
  if (error instanceof Error && "syscall" in error && "code" in error) return String(error.code);
  return "";
}

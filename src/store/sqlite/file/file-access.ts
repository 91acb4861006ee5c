/**
 * Finds the real file of a store's path, and checks that it may be used, before anything opens it. SQLite would open a
 * file that it cannot write as read-only, and create equally unwritable files next to it.
 */
import { accessSync, constants, lstatSync, realpathSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import { shellQuote } from "../../../platform/shell-quote.ts";
import { storeUnavailable } from "./file-errors.ts";

/** The files that SQLite keeps next to an open store. */
export const besideStore = ["-wal", "-shm"] as const;

/** The real file: a lock under another name would not protect it. */
export function realStorePath(path: string): string {
  if (!isSymbolicLink(path)) return path;
  try {
    return realpathSync(path);
  } catch (error) {
    throw storeUnavailable(path, `it is a symbolic link that does not resolve (${messageOf(error)})`, error);
  }
}

function isSymbolicLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    // Opening it reports why.
    return false;
  }
}

/** For a caller that is going to write to it. A file that does not exist yet is fine. */
export function refuseUnusable(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isDirectory()) return;
  if (found.nlink > 1) throw hardLinked(path);
  for (const file of [path, ...besideStore.map((suffix) => `${path}${suffix}`)]) refuseUnwritable(path, file);
}

function refuseUnwritable(path: string, file: string): void {
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return;
    throw new AppError({
      code: "store_unavailable",
      message: `The store ${path} cannot be opened: ${file} cannot be read and written by this user (${code}).`,
      hint:
        code === "EROFS"
          ? "Its filesystem is read-only. Make it writable, or point WAYBILL_HOME at another disk."
          : `Run \`chmod u+rw ${shellQuote(file)}\` as its owner, then start again.`,
      cause,
    });
  }
}

/** The log of an open store is named after the opened path, so two names would mean two logs of one file. */
function hardLinked(path: string): AppError {
  return new AppError({
    code: "store_hard_linked",
    message: `The store ${path} has a second name (a hard link), under which another Waybill could use it at the same time.`,
    hint: `Remove the other name (\`find ${shellQuote(dirname(path))} -samefile ${shellQuote(path)}\` searches for it), or make a copy and use that.`,
  });
}

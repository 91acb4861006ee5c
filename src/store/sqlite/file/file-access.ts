/**
 * The file at a store's path: which one it is, whether it may be used, and how it is created and synced. Checked before
 * anything opens it: SQLite would open a file that it cannot write as read-only, and create equally unwritable files next
 * to it.
 */
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import { networkFilesystemOf } from "../../../platform/network-filesystem.ts";
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

/** SQLite's locks do not work there, so the store would eventually be corrupted. */
export function refuseNetworkFilesystem(path: string, nameOf = networkFilesystemOf): void {
  const name = nameOf(path);
  if (name === null) return;
  throw new AppError({
    code: "store_on_network",
    message: `The store ${path} would be on a network filesystem (${name}), where its locks do not work.`,
    hint: "Point WAYBILL_HOME at a local disk.",
  });
}

/**
 * Creates the file if it does not exist, for its owner only, before a library creates it with wider permissions. True if it was created.
 *
 * An existing file is not even opened: when a process closes any descriptor of a file, the kernel drops all locks that
 * the process has on it, including those of an open store.
 */
export function createPrivateFile(path: string): boolean {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    closeSync(openSync(path, "wx", 0o600));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** Makes a finished file and its name survive a power failure. */
export function syncToDisk(path: string): void {
  for (const target of [path, dirname(path)]) {
    const descriptor = openSync(target, "r");
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }
}

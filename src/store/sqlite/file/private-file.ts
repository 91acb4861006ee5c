/** The store's files contain what people wrote, so only their owner may read them. */
import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates the file if it does not exist, before a library creates it with wider permissions. True if it was created.
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

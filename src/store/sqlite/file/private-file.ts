/** Files of the store hold what people said: only their owner may read them. */
import { closeSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes sure that the file exists, before a library would make it with wider permissions. True when it was made.
 *
 * A file that is there is not even opened: when a process closes any descriptor of a file, the kernel drops all locks
 * that the process has on it, those of an open store included.
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

/** Makes a finished file and its name survive a power cut. */
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

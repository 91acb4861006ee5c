/** Whether the store's disk has room for a large message and what SQLite writes with it. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { isDiskError } from "./file-errors.ts";

const neededBytes = 1024 * 1024;

/** Tests by writing, because the free space that a filesystem reports is not always available. */
export function hasRoom(path: string): boolean {
  const file = `${path}.room`;
  try {
    const descriptor = openSync(file, "w", 0o600);
    try {
      return writeSync(descriptor, Buffer.alloc(neededBytes, 1)) === neededBytes && sync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    if (isDiskError(error)) return false;
    // A commit will show whether the store itself can be written.
    return true;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Some filesystems only report here that there is no room. */
function sync(descriptor: number): true {
  fsyncSync(descriptor);
  return true;
}

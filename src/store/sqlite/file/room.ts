/** Whether the disk of a store has room for a large message and what SQLite writes with it. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from "node:fs";
import { isDiskError } from "./file-errors.ts";

const neededBytes = 1024 * 1024;

/** Asks by writing: what a filesystem reports as free is not always there for the taking. */
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
    // Whether the store itself can be written then, a commit tells.
    return true;
  } finally {
    rmSync(file, { force: true });
  }
}

/** Some filesystems find out only here that there is no room. */
function sync(descriptor: number): true {
  fsyncSync(descriptor);
  return true;
}

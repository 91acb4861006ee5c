/**
 * Writes a small file atomically, readable by its owner only. The file is durable when this returns: its content is
 * synced before the rename, and the directory before the return.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export function writeWholeFile(path: string, content: string): void {
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  writeFileSync(temporary, content, { flag: "wx", mode: 0o600, flush: true });
  renameSync(temporary, path);
  const directory = openSync(dirname(path), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

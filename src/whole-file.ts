/**
 * A small file that is written as a whole or not at all, readable by its owner only. It is durable when this returns:
 * the content before the name, and the name before anybody goes on.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export function writeWholeFile(path: string, content: string): void {
  const beside = `${path}.new`;
  rmSync(beside, { force: true });
  const file = openSync(beside, "wx", 0o600);
  try {
    writeFileSync(file, content);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(beside, path);
  const directory = openSync(dirname(path), "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

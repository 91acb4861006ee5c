/**
 * The files in a lane's directory that have changed since a given time, for an agent that is asked for a summary. It
 * only reads names and dates, stays inside the directory, and skips what programs keep for themselves.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, relative } from "node:path";

const maxEntries = 5000;
const maxNames = 20;
const skipped = new Set(["node_modules", "__pycache__", "target", "dist", "build"]);
/** Some file systems only store whole seconds. */
const dateToleranceMs = 1000;

/** Sorted by name; empty if the directory cannot be read. */
export type ChangedFiles = (directory: string, since: number) => Promise<string[]>;

export const changedFiles: ChangedFiles = async (directory, since) => {
  const found: string[] = [];
  const directories = [directory];
  let seen = 0;
  for (const one of directories) {
    for (const entry of await entriesOf(one)) {
      seen += 1;
      if (seen > maxEntries) return sorted(found);
      if (entry.name.startsWith(".") || skipped.has(entry.name)) continue;
      const path = join(one, entry.name);
      if (entry.isDirectory()) directories.push(path);
      else if (entry.isFile() && (await changedAt(path)) >= since - dateToleranceMs)
        found.push(relative(directory, path));
    }
  }
  return sorted(found);
};

function sorted(names: readonly string[]): string[] {
  return names.toSorted().slice(0, maxNames);
}

async function entriesOf(directory: string): Promise<Dirent[]> {
  return readdir(directory, { withFileTypes: true }).catch(() => []);
}

async function changedAt(path: string): Promise<number> {
  return lstat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/**
 * Looks at the files in a lane's directory: which files that an answer names are missing, and which have changed. It
 * stays inside the directory, follows no link that leads out of it, and reads no file.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { isInside } from "../platform/inside.ts";
import { generatedDirectories, toolDirectories } from "../platform/skipped-directories.ts";

/** Reports a file as missing only when it is sure: a file that cannot be checked is not missing. */
export type MissingFiles = (directory: string, names: readonly string[]) => Promise<string[]>;

/** How many entries are searched: an agent often writes `app.ts` for `src/app.ts`. */
const maxEntries = 5000;

export const missingFiles: MissingFiles = async (directory, names) => {
  const root = await realpath(directory).catch(() => null);
  if (root === null) return [];
  const missing: string[] = [];
  for (const name of names) if ((await lookFor(root, name)) === "missing") missing.push(name);
  if (missing.length === 0) return [];
  const others = await filesBelow(root);
  return others === null ? [] : missing.filter((name) => !others.some((path) => path.endsWith(`/${name}`)));
};

async function lookFor(root: string, name: string): Promise<"there" | "missing" | "unknown"> {
  const path = resolve(root, name);
  if (!isInside(path, root)) return "unknown";
  try {
    // The directory may be a link; the last path segment is never followed.
    const parent = await realpath(dirname(path));
    if (!isInside(parent, root)) return "unknown";
    await lstat(join(parent, path.slice(dirname(path).length + 1)));
    return "there";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unknown";
  }
}

/**
 * All paths below, or null if there are too many to be sure or one cannot be read. Links to directories are not
 * followed.
 */
async function filesBelow(root: string): Promise<string[] | null> {
  const found: string[] = [];
  const directories = [root];
  for (const directory of directories) {
    let entries: Dirent[];
    try {
      entries = await readdir(directory, { withFileTypes: true });
    } catch {
      return null;
    }
    for (const entry of entries) {
      if (toolDirectories.has(entry.name)) continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) directories.push(path);
      else found.push(path);
      if (found.length + directories.length > maxEntries) return null;
    }
  }
  return found;
}

const maxNames = 20;
/** Some file systems only store whole seconds. */
const dateToleranceMs = 1000;

/** For an agent that is asked for a summary. Sorted by name; empty if the directory cannot be read. */
export type ChangedFiles = (directory: string, since: number) => Promise<string[]>;

export const changedFiles: ChangedFiles = async (directory, since) => {
  const found: string[] = [];
  const directories = [directory];
  let seen = 0;
  for (const one of directories) {
    for (const entry of await entriesOf(one)) {
      seen += 1;
      if (seen > maxEntries) return sorted(found);
      if (entry.name.startsWith(".") || generatedDirectories.has(entry.name)) continue;
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

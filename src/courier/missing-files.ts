/**
 * Checks on disk for files that an answer names. It stays inside the lane's directory, follows no link that leads out
 * of it, reads no file, and reports a file as missing only when it is sure: a file that cannot be checked is not
 * missing.
 */
import type { Dirent } from "node:fs";
import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";

export type MissingFiles = (directory: string, names: readonly string[]) => Promise<string[]>;

/** An agent often writes `app.ts` for `src/app.ts`; this many entries are searched for it. */
const maxEntries = 5000;
const skipped = new Set([".git", "node_modules"]);

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
  if (!isInside(root, path)) return "unknown";
  try {
    // The directory may be a link; the last path segment is never followed.
    const parent = await realpath(dirname(path));
    if (!isInside(root, parent)) return "unknown";
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
      if (skipped.has(entry.name)) continue;
      const path = join(directory, entry.name);
      if (entry.isDirectory()) directories.push(path);
      else found.push(path);
      if (found.length + directories.length > maxEntries) return null;
    }
  }
  return found;
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== ".." && !way.startsWith("../") && !isAbsolute(way);
}

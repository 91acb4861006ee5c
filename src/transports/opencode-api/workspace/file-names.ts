/**
 * The names of the files in a place that somebody may want to find: what git does not ignore, and without git everything
 * but what is known to be large and made by programs. At most so many that it takes a moment.
 */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Workspace } from "../../../service/service.ts";
import { git } from "./git.ts";
import { isShown } from "./path-inside.ts";

const maxNames = 20_000;
const maxDirectories = 5000;
const leftOut = new Set([".git", "node_modules", ".venv", "__pycache__", "target", "dist", ".cache"]);

/** Relative to the place's directory. */
export async function fileNames(place: Workspace): Promise<string[]> {
  const tracked = await git(place.directory, ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
  const names = tracked === null ? await walked(place) : [...new Set(tracked.split("\0"))];
  // What ends with a slash is another repository inside this one.
  const files = names.filter((name) => name !== "" && !name.endsWith("/"));
  return files.filter((name) => isShown(place, resolve(place.directory, name))).slice(0, maxNames);
}

/** Level by level, so that what is near comes before what is deep when there is too much. */
async function walked(place: Workspace): Promise<string[]> {
  const names: string[] = [];
  const open = [""];
  // A list that grows while it is gone through.
  for (const below of open) {
    if (names.length >= maxNames) break;
    if (!isShown(place, resolve(place.directory, below))) continue;
    const entries = await readdir(join(place.directory, below), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = join(below, entry.name);
      if (entry.isFile()) names.push(name);
      else if (entry.isDirectory() && !leftOut.has(entry.name) && open.length < maxDirectories) open.push(name);
    }
  }
  return names;
}

/** The directories in which these files are, with a slash behind each. */
export function directoriesOf(files: readonly string[]): string[] {
  const found = new Set<string>();
  for (const file of files) {
    for (let end = file.lastIndexOf("/"); end > 0; end = file.lastIndexOf("/", end - 1))
      found.add(file.slice(0, end + 1));
  }
  return [...found];
}

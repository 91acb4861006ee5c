/**
 * The names of the searchable files in a workspace: those that git does not ignore, or without git everything except
 * directories known to be large and generated. Bounded, so that it stays fast.
 */
import { readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Workspace } from "../../../service/service.ts";
import { git } from "../../../service/workspace/git.ts";
import { isShown } from "../../../service/workspace/is-shown.ts";

const maxNames = 20_000;
const maxDirectories = 5000;
const leftOut = new Set([".git", "node_modules", ".venv", "__pycache__", "target", "dist", ".cache"]);

/** Relative to the workspace's directory. */
export async function fileNames(workspace: Workspace): Promise<string[]> {
  const tracked = await git(workspace.directory, ["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
  const names = tracked === null ? await walk(workspace) : [...new Set(tracked.split("\0"))];
  // A name with a trailing slash is another repository inside this one.
  const files = names.filter((name) => name !== "" && !name.endsWith("/"));
  return files.filter((name) => isShown(workspace, resolve(workspace.directory, name))).slice(0, maxNames);
}

/** Breadth-first, so that the limit cuts off deep files first. */
async function walk(workspace: Workspace): Promise<string[]> {
  const names: string[] = [];
  const open = [""];
  // The list grows during the iteration.
  for (const parent of open) {
    if (names.length >= maxNames) break;
    if (!isShown(workspace, resolve(workspace.directory, parent))) continue;
    const entries = await readdir(join(workspace.directory, parent), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const name = join(parent, entry.name);
      if (entry.isFile()) names.push(name);
      else if (entry.isDirectory() && !leftOut.has(entry.name) && open.length < maxDirectories) open.push(name);
    }
  }
  return names;
}

/**
 * The directories in which lanes may work, level by level, to choose from. Hidden ones, Waybill's own, and links that
 * lead out of the allowed directories are left out.
 */
import { existsSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AppError, messageOf } from "../platform/app-error.ts";
import type { DirectoryList, ListedDirectory } from "./service.ts";

type DirectoryRules = {
  /** Refuses a directory in which no lane may work, and resolves symlinks. */
  resolveDirectory: (path: string) => string;
  allowedDirectories: readonly string[];
};

const maxListed = 500;
/** Each name needs a disk lookup; yield to other work in between. */
const chunk = 50;

/** Without a path, lists the allowed directories themselves. */
export async function listDirectories(path: string | undefined, rules: DirectoryRules): Promise<DirectoryList> {
  const allowed = rules.allowedDirectories.map((one) => usable(one, rules)).filter((one) => one !== null);
  const roots = [...new Set(allowed)];
  if (path === undefined) {
    const directories = roots.map((root) => listed(basename(root) || root, root));
    return { path: null, parent: null, roots, directories, truncated: false };
  }
  const directory = rules.resolveDirectory(path);
  const parent = directory === dirname(directory) ? null : usable(dirname(directory), rules);
  return { path: directory, parent, roots, ...(await within(directory, rules)) };
}

async function within(
  directory: string,
  rules: DirectoryRules,
): Promise<Pick<DirectoryList, "directories" | "truncated">> {
  const names = (await namesIn(directory)).sort((one, other) => one.localeCompare(other, "en"));
  const directories: ListedDirectory[] = [];
  for (const [index, name] of names.entries()) {
    if (index % chunk === chunk - 1) await nextTurn();
    const path = usable(join(directory, name), rules);
    if (path === null) continue;
    if (directories.length === maxListed) return { directories, truncated: true };
    directories.push(listed(name, path));
  }
  return { directories, truncated: false };
}

/** Names that may be directories. Links are resolved later. */
async function namesIn(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { withFileTypes: true });
    const mayBe = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink());
    return mayBe.map(({ name }) => name).filter((name) => !name.startsWith("."));
  } catch (cause) {
    throw new AppError({
      code: "directory_missing",
      message: `The directory ${directory} cannot be read: ${messageOf(cause)}.`,
      hint: "Choose another one, or type the path of a directory in it.",
      cause,
    });
  }
}

function listed(name: string, path: string): ListedDirectory {
  return { name, path, isRepository: existsSync(join(path, ".git")) };
}

/** Null if no lane may work there. */
function usable(path: string, { resolveDirectory }: DirectoryRules): string | null {
  try {
    return resolveDirectory(path);
  } catch {
    return null;
  }
}

/** Removes attachments that no message names, and the leftovers of interrupted writes. */
import { statSync, unlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";

/** How many files one store query covers. */
const batch = 500;

/** Removes files last written or held before `before`; returns how many attachments were removed. */
export async function pruneFiles(
  directory: string,
  before: number,
  named: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<number> {
  const files = await filesIn(directory);
  const old = files.filter((name) => isOld(join(directory, name), before));
  const contents = old.filter((name) => !name.endsWith(".json"));
  let removed = 0;
  for (let start = 0; start < contents.length; start += batch) {
    const names = contents.slice(start, start + batch);
    const kept = await named(names);
    for (const name of names) {
      if (!kept.has(name) && removeIfOld(join(directory, name), before)) removed++;
    }
  }
  for (const name of old) {
    const content = join(directory, basename(name, ".json"));
    if (name.endsWith(".json") && !statSync(content, { throwIfNoEntry: false })) {
      removeIfOld(join(directory, name), before);
    }
  }
  return removed;
}

async function filesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

function isOld(path: string, before: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && found.mtimeMs < before;
}

/**
 * The check and the unlink are synchronous: a message that names the file holds it before both, or does not find it.
 */
function removeIfOld(path: string, before: number): boolean {
  if (!isOld(path, before)) return false;
  unlinkSync(path);
  return true;
}

/** Finds places where others could see a secret: command lines and environments of all processes, and files. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** The processes that show one of these texts, and where; always empty on systems without /proc. */
export function processesWith(texts: readonly string[]): string[] {
  return entriesOf("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => ["cmdline", "environ"].map((file) => join("/proc", pid, file)))
    .filter((path) => holds(path, texts));
}

/** The files in a directory that contain one of these texts. */
export function filesWith(texts: readonly string[], directory: string): string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => holds(path, texts));
}

function entriesOf(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function holds(path: string, texts: readonly string[]): boolean {
  try {
    const content = readFileSync(path, "latin1");
    return texts.some((text) => content.includes(text));
  } catch {
    // It exited, was removed, or belongs to another user.
    return false;
  }
}

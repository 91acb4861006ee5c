/** Identifies the files at a store's paths, to detect that a name now refers to another file, or to none. */
import { statSync } from "node:fs";
import { besideStore, realStorePath } from "./file-access.ts";

/** Device and inode by path, for the store and the files that SQLite keeps next to it. */
export type FileIdentities = ReadonlyMap<string, string>;

const gone = "gone";

/** `path` is resolved through its links each time; `real` is what it resolved to when the store was opened. */
export function identitiesOf(path: string, real = realStorePath(path)): FileIdentities {
  const files = [path, ...besideStore.map((suffix) => `${real}${suffix}`)];
  return new Map(files.map((file) => [file, identityOf(file) ?? gone]));
}

/** The files that have changed. */
export function changedFiles(before: FileIdentities): string[] {
  return [...before].flatMap(([file, identity]) => (isStill(file, identity) ? [] : [file]));
}

export function isGone(file: string): boolean {
  return identityOf(file) === gone;
}

function isStill(file: string, identity: string): boolean {
  const now = identityOf(file);
  return now === null || now === identity;
}

/** Null if unknown: an inaccessible directory says nothing about the file in it. */
function identityOf(file: string): string | null {
  try {
    // Some filesystems have inode numbers that a plain number would round.
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    return /^(ENOENT|ENOTDIR|ELOOP)$/.test((error as NodeJS.ErrnoException).code ?? "") ? gone : null;
  }
}

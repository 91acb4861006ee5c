/**
 * What an inbox file is replaced with: written beside it and durable before it gets its name. Files that a process left
 * behind when it died are removed by the next.
 */
import { closeSync, fchmodSync, fchownSync, fstatSync, fsync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { codeOf } from "./problems.ts";
import type { FileState } from "./read-bytes.ts";

const sync = promisify(fsync);
let made = 0;

/** Returns its path. Throws what the system says, and leaves nothing behind then. */
export async function writeBeside(path: string, bytes: Buffer, like: FileState | null): Promise<string> {
  const { fd, temporary } = create(path);
  try {
    try {
      if (like !== null) makeAlike(fd, like);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      // Only this in a thread: it waits for the disk.
      await sync(fd);
    } finally {
      closeSync(fd);
    }
    return temporary;
  } catch (error) {
    removeReplacement(temporary);
    throw error;
  }
}

/** One that cannot be removed now is left over, and removed by another process. */
export function removeReplacement(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
}

/** A name that ends otherwise than in .json: others take every file that does for an inbox. */
function create(path: string): { fd: number; temporary: string } {
  for (;;) {
    const temporary = `${path}.waybill-${process.pid}-${++made}.tmp`;
    try {
      return { fd: openSync(temporary, "wx", 0o600), temporary };
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
  }
}

/** An owner who finds his file replaced by one that he may not read has lost it, so that fails instead. */
function makeAlike(fd: number, { uid, gid, mode }: FileState): void {
  const own = fstatSync(fd);
  if (own.uid !== uid || own.gid !== gid) fchownSync(fd, uid, gid);
  fchmodSync(fd, mode & 0o777);
}

/** A rename lasts once its directory is synced. One that cannot be synced is no reason to call a row unwritten. */
export async function syncDirectoryOf(path: string): Promise<void> {
  try {
    const directory = openSync(dirname(path), "r");
    try {
      await sync(directory);
    } finally {
      closeSync(directory);
    }
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
}

export async function removeLeftOvers(path: string): Promise<void> {
  for (const name of await namesIn(dirname(path))) {
    const owner = ownerOf(name, basename(path));
    if (owner === null) continue;
    const left = join(dirname(path), name);
    if (!isAlive(owner) || (owner === process.pid && isOlderThanThisProcess(left))) removeReplacement(left);
  }
}

/** The process that made the file; null for a file of another kind. */
function ownerOf(name: string, inbox: string): number | null {
  if (!name.startsWith(`${inbox}.waybill-`)) return null;
  const pid = /^(\d+)-\d+\.tmp$/.exec(name.slice(`${inbox}.waybill-`.length))?.[1];
  return pid === undefined ? null : Number(pid);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch {
    // Whoever reads or writes the file is told what is wrong.
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== "ESRCH";
  }
}

/** In a container the same few process ids are given again and again. */
function isOlderThanThisProcess(path: string): boolean {
  const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return madeAt !== undefined && madeAt < Date.now() - process.uptime() * 1000;
}

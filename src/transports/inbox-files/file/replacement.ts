/**
 * The replacement of an inbox file: written next to it, and durable before it gets its name. Files that a dead process
 * left behind are removed by the next one.
 */
import { closeSync, fchmodSync, fchownSync, fstatSync, fsync, openSync, rmSync, statSync, writeSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { codeOf } from "./problems.ts";
import type { FileState } from "./read-bytes.ts";

const sync = promisify(fsync);
let made = 0;

/** Returns the path. Throws the system's error, and leaves nothing behind then. */
export async function writeBeside(path: string, bytes: Buffer, like: FileState | null): Promise<string> {
  const { fd, temporary } = create(path);
  try {
    try {
      if (like !== null) makeAlike(fd, like);
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
      // Only this runs in a thread, because it waits for the disk.
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

/** A file that cannot be removed now is removed by a later process. */
export function removeReplacement(temporary: string): void {
  try {
    rmSync(temporary, { force: true });
  } catch (error) {
    if (codeOf(error) === undefined) throw error;
  }
}

/** The name must not end in .json: other programs treat every such file as an inbox. */
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

/** Throws rather than leave an owner with a file that they may not read. */
function makeAlike(fd: number, { uid, gid, mode }: FileState): void {
  const own = fstatSync(fd);
  if (own.uid !== uid || own.gid !== gid) fchownSync(fd, uid, gid);
  fchmodSync(fd, mode & 0o777);
}

/** A rename is durable once its directory is synced. If that fails, the row still counts as written. */
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

/** The process that created the file; null for any other file. */
function ownerOf(name: string, inbox: string): number | null {
  if (!name.startsWith(`${inbox}.waybill-`)) return null;
  const pid = /^(\d+)-\d+\.tmp$/.exec(name.slice(`${inbox}.waybill-`.length))?.[1];
  return pid === undefined ? null : Number(pid);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch {
    // Reading or writing the file reports what is wrong.
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

/** In a container the same few process ids are reused. */
function isOlderThanThisProcess(path: string): boolean {
  const madeAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
  return madeAt !== undefined && madeAt < Date.now() - process.uptime() * 1000;
}

/** Reads the bytes of an inbox file without following links, and the state that shows whether it changed since. */
import type { BigIntStats } from "node:fs";
import { closeSync, constants, fstatSync, lstatSync, openSync, read, readSync } from "node:fs";
import { dirname } from "node:path";
import { promisify } from "node:util";
import type { InboxFailure } from "./problems.ts";
import { codeOf, directoryMissing, isDirectory, noRegularFile, readFailure, tooLarge } from "./problems.ts";

export type FileState = {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
};

/** `isTorn`: the file was written to while it was read. */
export type Found = { outcome: "found"; bytes: Buffer; state: FileState; isTorn: boolean };
export type Missing = { outcome: "missing" };

type Opened = { fd: number; state: FileState };

/** Without O_NONBLOCK, opening a pipe blocks until its other end opens. */
const openFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const readLater = promisify(read);

/**
 * Synchronous: a file that was read or written a while ago is in memory, and a thread would cost more than the call.
 */
export function readNow(path: string, maxBytes: number): Found | Missing | InboxFailure {
  const opened = open(path, maxBytes);
  if ("outcome" in opened) return opened;
  try {
    const bytes = Buffer.allocUnsafe(Number(opened.state.size));
    let length = 0;
    for (let count = 1; count > 0 && length < bytes.length; length += count) {
      count = readSync(opened.fd, bytes, length, bytes.length - length, length);
    }
    return found(opened, bytes.subarray(0, length));
  } catch (error) {
    return readFailure(path, error);
  } finally {
    closeSync(opened.fd);
  }
}

/** In a thread, because a disk may be slow. */
export async function readSoon(path: string, maxBytes: number): Promise<Found | Missing | InboxFailure> {
  const opened = open(path, maxBytes);
  if ("outcome" in opened) return opened;
  try {
    const bytes = Buffer.allocUnsafe(Number(opened.state.size));
    let length = 0;
    for (let count = 1; count > 0 && length < bytes.length; length += count) {
      ({ bytesRead: count } = await readLater(opened.fd, bytes, length, bytes.length - length, length));
    }
    return found(opened, bytes.subarray(0, length));
  } catch (error) {
    return readFailure(path, error);
  } finally {
    closeSync(opened.fd);
  }
}

function found({ fd, state }: Opened, bytes: Buffer): Found {
  const isTorn = !isSameState(state, stateOf(fstatSync(fd, { bigint: true })));
  return { outcome: "found", bytes, state, isTorn };
}

/** A buffer that synchronous calls share. */
const scratch = Buffer.allocUnsafeSlow(512 * 1024);

/** Whether the file has exactly these bytes; null means that it does not exist. Timestamps are too coarse for this. */
export function hasBytes(path: string, expected: Buffer | null): boolean {
  const opened = open(path, Number.POSITIVE_INFINITY);
  if ("outcome" in opened) return opened.outcome === "missing" && expected === null;
  try {
    if (expected === null || opened.state.size !== BigInt(expected.length)) return false;
    for (let at = 0; at < expected.length; ) {
      const count = readSync(opened.fd, scratch, 0, Math.min(scratch.length, expected.length - at), at);
      if (count === 0 || scratch.compare(expected, at, at + count, 0, count) !== 0) return false;
      at += count;
    }
    return true;
  } catch {
    return false;
  } finally {
    closeSync(opened.fd);
  }
}

/** Keeps the file's data alive after its name is removed. Returns a function that closes it. */
export function keepOpen(path: string): () => void {
  const opened = open(path, Number.POSITIVE_INFINITY);
  return "outcome" in opened ? () => {} : () => closeSync(opened.fd);
}

/** Null if nothing exists there. */
export function presentState(path: string): FileState | null {
  try {
    return stateOf(lstatSync(path, { bigint: true }));
  } catch {
    return null;
  }
}

export function isSameState(one: FileState, other: FileState): boolean {
  return (
    one.ino === other.ino &&
    one.dev === other.dev &&
    one.size === other.size &&
    one.mtimeNs === other.mtimeNs &&
    one.ctimeNs === other.ctimeNs
  );
}

/** How long ago the file changed, according to its mtime and ctime. */
export function msSinceChange({ mtimeNs, ctimeNs }: FileState): number {
  return Date.now() - Number((mtimeNs > ctimeNs ? mtimeNs : ctimeNs) / 1_000_000n);
}

function open(path: string, maxBytes: number): Opened | Missing | InboxFailure {
  let fd: number;
  try {
    fd = openSync(path, openFlags);
  } catch (error) {
    const code = codeOf(error);
    // A link is refused with ELOOP, a socket with ENXIO.
    if (code === "ELOOP" || code === "ENXIO") return noRegularFile(path);
    if (code !== "ENOENT" && code !== "ENOTDIR") return readFailure(path, error);
    return isDirectory(dirname(path)) ? { outcome: "missing" } : directoryMissing(path);
  }
  const stats = fstatSync(fd, { bigint: true });
  const refusal = !stats.isFile()
    ? noRegularFile(path)
    : stats.size > maxBytes
      ? tooLarge(path, Number(stats.size), maxBytes)
      : null;
  if (refusal === null) return { fd, state: stateOf(stats) };
  closeSync(fd);
  return refusal;
}

function stateOf({ dev, ino, size, mtimeNs, ctimeNs, mode, uid, gid }: BigIntStats): FileState {
  return { dev, ino, size, mtimeNs, ctimeNs, mode: Number(mode), uid: Number(uid), gid: Number(gid) };
}

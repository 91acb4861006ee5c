/**
 * A temporary directory for all tests of a run, in memory where the machine has room: SQLite waits for the disk at every
 * commit, and only a power failure would show the difference. It is removed at the end, with what killed processes left.
 */
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const memory = "/dev/shm";
const neededBytes = 4 * 1024 ** 3;

export function setup(): () => void {
  const before = process.env.TMPDIR;
  const directory = mkdtempSync(join(hasRoom() ? memory : tmpdir(), "waybill-tests-"));
  process.env.TMPDIR = directory;
  return () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
    rmSync(directory, { recursive: true, force: true, maxRetries: 3 });
  };
}

function hasRoom(): boolean {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize >= neededBytes;
  } catch {
    // Not on a Mac.
    return false;
  }
}

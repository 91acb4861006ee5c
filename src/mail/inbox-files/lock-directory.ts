/**
 * The lock of an inbox file: a directory beside it, as proper-lockfile and so Claude Code make it. Others try ten times
 * within half a second and then give up, so it is held as briefly as possible.
 */
import { mkdirSync, rmdirSync, statSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lock } from "proper-lockfile";
import type { InboxFailure } from "./problems.ts";
import { codeOf, directoryMissing, failed, isDirectory, writeFailure } from "./problems.ts";

export type LockSettings = {
  /** How long to wait for others. */
  waitMs: number;
  /** After how long without a sign of life a lock may be taken over. */
  staleMs: number;
};

export type HeldLock = {
  /** Somebody else had it before. */
  readonly wasAwaited: boolean;
  /** False once somebody has taken it over. */
  isHeld(): boolean;
  release(): Promise<void>;
};

type Holding = { identity: string | null };
const holdings = new Map<string, Holding>();

export async function takeLock(path: string, { waitMs, staleMs }: LockSettings): Promise<HeldLock | InboxFailure> {
  const lockPath = `${path}.lock`;
  const until = performance.now() + waitMs;
  for (let tries = 1; ; tries++) {
    try {
      return { ...(await tryLock(path, lockPath, staleMs)), wasAwaited: tries > 1 };
    } catch (error) {
      const problem = lockProblem(path, lockPath, error);
      if (problem.problem !== "locked" || performance.now() > until) return problem;
    }
    // Short, so that little time is lost when it is released; and each another, so that those who wait do not meet.
    await pause(1 + Math.random() * Math.min(tries, 10));
  }
}

async function tryLock(path: string, lockPath: string, staleMs: number): Promise<Omit<HeldLock, "wasAwaited">> {
  let isLost = false;
  const release = await lock(path, {
    lockfilePath: lockPath,
    realpath: false,
    stale: staleMs,
    retries: 0,
    fs: directCalls,
    onCompromised: () => {
      isLost = true;
    },
  });
  const holding = { identity: identityOf(lockPath) };
  holdings.set(lockPath, holding);
  return {
    isHeld: () => !isLost && holding.identity !== null && holding.identity === identityOf(lockPath),
    async release() {
      try {
        await release();
      } catch {
        // One that was lost is not ours to remove. One that cannot be removed is taken over by the next when it is stale.
      }
      if (holdings.get(lockPath) === holding) holdings.delete(lockPath);
    },
  };
}

function lockProblem(path: string, lockPath: string, error: unknown): InboxFailure {
  const code = codeOf(error) ?? "";
  if (code === "ENOENT" || code === "ENOTDIR") {
    if (!isDirectory(dirname(path))) return directoryMissing(path);
  } else if (code !== "ELOCKED" && code !== "ENOTEMPTY") return writeFailure(path, error);
  return failed("locked", `${path} is locked by another program. Remove ${lockPath} if no program uses it.`);
}

/** Two locks at one path are told apart by it: an inode is used again at once, but not at the same time. */
function identityOf(lockPath: string): string | null {
  const stats = statSync(lockPath, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino}/${stats.ctimeNs}` : null;
}

type Done<T = unknown> = (error: Error | null, result?: T) => void;

/**
 * The file system as the library calls it, without threads: each of these calls takes microseconds, and a lock that turns out
 * to be stale is taken over before another process can have done the same. The library removes a lock without asking whose
 * it is by now; this does not.
 */
const directCalls = {
  mkdir: (path: string, done: Done) => call(done, () => mkdirSync(path)),
  stat: (path: string, done: Done) => call(done, () => statSync(path)),
  utimes: (path: string, accessed: Date, modified: Date, done: Done) =>
    call(done, () => {
      utimesSync(path, accessed, modified);
      const holding = holdings.get(path);
      if (holding) holding.identity = identityOf(path);
    }),
  rmdir: (path: string, done: Done) =>
    call(done, () => {
      const holding = holdings.get(path);
      if (!holding || holding.identity === identityOf(path)) rmdirSync(path);
    }),
};

function call(done: Done, work: () => unknown): void {
  let result: unknown;
  try {
    result = work();
  } catch (error) {
    return done(error as Error);
  }
  done(null, result);
}

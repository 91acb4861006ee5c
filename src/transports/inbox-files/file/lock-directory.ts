/**
 * The lock of an inbox file: a directory next to it, as proper-lockfile (and therefore Claude Code) creates it. Other
 * programs try ten times within half a second and then give up, so it is held as briefly as possible.
 */
import { mkdirSync, rmdirSync, statSync, utimesSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { lock } from "proper-lockfile";
import type { InboxFailure } from "./problems.ts";
import { codeOf, directoryMissing, failed, isDirectory, writeFailure } from "./problems.ts";

export type LockSettings = {
  /** How long to wait for other programs. */
  waitMs: number;
  /** How long a lock must go without being refreshed before it may be taken over. */
  staleMs: number;
};

export type HeldLock = {
  /** Another program held it first. */
  readonly wasAwaited: boolean;
  /** False once another program has taken it over. */
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
    // Short, so that little time is lost when the lock is released; random, so that waiters do not collide.
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
        // A lost lock is not ours to remove. One that cannot be removed becomes stale and is taken over.
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

/** Distinguishes two locks at one path: an inode number may be reused immediately, but then its ctime differs. */
function identityOf(lockPath: string): string | null {
  const stats = statSync(lockPath, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.ino}/${stats.ctimeNs}` : null;
}

type Done<T = unknown> = (error: Error | null, result?: T) => void;

/**
 * The file system calls that the library makes, done synchronously: each takes microseconds, and a stale lock is taken
 * over before another process can do the same. The library removes a lock without checking who owns it by then; this
 * version checks.
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

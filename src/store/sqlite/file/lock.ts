/** One process at a time may write to a store: it holds the lock file next to it. */
import { AppError } from "../../../platform/app-error.ts";
import { realStorePath } from "./file-access.ts";
import { storeProblem } from "./file-errors.ts";
import type { HeldLock, LockHolder, LockOutcome } from "./lock-file.ts";
import { askLock, takeLock } from "./lock-file.ts";

export function lockStore(path: string, now: number): HeldLock {
  const outcome = withWords(path, () => takeLock(lockOf(path), now));
  if (!outcome.taken) throw locked(path, outcome);
  return outcome.lock;
}

/** The process that has the store open. Does not take the lock. */
export function storeHolder(path: string): LockHolder | null {
  return withWords(path, () => askLock(lockOf(path)));
}

/** Next to the real file, so that every symbolic link finds the same lock. */
function lockOf(path: string): string {
  return `${realStorePath(path)}.lock`;
}

function withWords<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw lockError(path, error);
  }
}

function locked(path: string, { holder, cause }: Extract<LockOutcome, { taken: false }>): AppError {
  return new AppError({
    code: "store_locked",
    message: `The store ${path} is in use by ${holder.pid === null ? "another process" : `process ${holder.pid}`}.`,
    hint: "Stop that Waybill first, or point WAYBILL_HOME at another directory.",
    cause,
  });
}

function lockError(path: string, error: unknown): unknown {
  const problem = storeProblem(path, error);
  if (!(problem instanceof AppError) || problem.code !== "store_corrupt") return problem;
  return new AppError({
    code: "store_unavailable",
    message: `The lock file ${lockOf(path)} is damaged. The store itself was not touched.`,
    hint: "Make sure that no Waybill uses this store, then delete the lock file. It holds no data.",
    cause: error,
  });
}

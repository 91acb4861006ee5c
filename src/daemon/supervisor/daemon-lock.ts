/** One daemon per home: its supervisor holds `daemon.lock` for as long as it lives. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";
import type { HeldLock, LockHolder } from "../../store/sqlite/file/lock-file.ts";
import { askLock, takeLock } from "../../store/sqlite/file/lock-file.ts";

export function lockDaemon(home: string, now: number): HeldLock {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const outcome = takeLock(lockPath(home), now);
    if (outcome.taken) return outcome.lock;
    throw daemonRunning(outcome.holder, outcome.cause);
  } catch (error) {
    throw homeError(home, error);
  }
}

/** The supervisor that runs in this home, or null. */
export function daemonHolder(home: string): LockHolder | null {
  try {
    return askLock(lockPath(home));
  } catch (error) {
    throw homeError(home, error);
  }
}

function lockPath(home: string): string {
  return join(home, "daemon.lock");
}

function daemonRunning({ pid }: LockHolder, cause: unknown): AppError {
  return new AppError({
    code: "daemon_running",
    message: `Waybill is running already${pid === null ? "" : `, as process ${pid}`}.`,
    hint: `\`waybill restart\` restarts it${pid === null ? "" : `, \`kill ${pid}\` stops it`}. Another WAYBILL_HOME can have a daemon of its own.`,
    cause,
  });
}

/** Errors of the filesystem, or of SQLite about the lock file, with a hint; anything else is a bug and stays as it is. */
function homeError(home: string, cause: unknown): unknown {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new AppError({
      code: "home_unusable",
      message: `The lock file ${lockPath(home)} is damaged.`,
      hint: "Make sure that no Waybill runs, then delete the lock file: it holds nothing of value.",
      cause,
    });
  }
  if (!/^(E[A-Z]+$|SQLITE_(CANTOPEN|READONLY|PERM|IOERR|FULL))/.test(code)) return cause;
  return new AppError({
    code: "home_unusable",
    message: `The directory ${home} cannot be used: ${messageOf(cause)}.`,
    hint: "Waybill keeps its state there. Make it a directory that you can write to, or set WAYBILL_HOME to another one.",
    cause,
  });
}

/** One daemon at a time for one home: its supervisor holds `daemon.lock` for as long as it lives. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";
import type { HeldLock, LockHolder } from "../../store/sqlite/file/lock-file.ts";
import { askLock, takeLock } from "../../store/sqlite/file/lock-file.ts";

export function lockDaemon(home: string, now: number): HeldLock {
  const outcome = withWords(home, () => {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    return takeLock(lockIn(home), now);
  });
  if (!outcome.taken) throw daemonRunning(outcome.holder, outcome.cause);
  return outcome.lock;
}

/** The supervisor that runs in this home, or null when none does. */
export function daemonHolder(home: string): LockHolder | null {
  return withWords(home, () => askLock(lockIn(home)));
}

function lockIn(home: string): string {
  return join(home, "daemon.lock");
}

function daemonRunning({ pid }: LockHolder, cause: unknown): AppError {
  return new AppError({
    code: "daemon_running",
    message: `Waybill is running already${pid === null ? "" : `, as process ${pid}`}.`,
    hint: `\`waybill restart\` starts it afresh${pid === null ? "" : `, \`kill ${pid}\` stops it`}. Another WAYBILL_HOME can have a daemon of its own.`,
    cause,
  });
}

function withWords<T>(home: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw homeProblem(home, error);
  }
}

/** What the filesystem says, or SQLite about the file, in words; anything else is a bug and stays as it is. */
function homeProblem(home: string, cause: unknown): unknown {
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) {
    return new AppError({
      code: "home_unusable",
      message: `The lock file ${lockIn(home)} is damaged.`,
      hint: "Make sure that no Waybill runs, then delete the lock file: nothing of value is in it.",
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

/** One daemon per home: its supervisor holds `daemon.lock` as long as it lives. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AppError, messageOf } from "../../platform/app-error.ts";
import type { HeldLock, LockHolder } from "../../store/administration.ts";
import { processLocks } from "../wiring/store-at.ts";

export function lockDaemon(home: string, now: number): HeldLock {
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const outcome = processLocks.take(lockPath(home), now);
    if (outcome.taken) return outcome.lock;
    throw daemonRunning(outcome.holder, outcome.cause);
  } catch (error) {
    throw homeError(home, error);
  }
}

/** The supervisor running in this home, or null. */
export function daemonHolder(home: string): LockHolder | null {
  try {
    return processLocks.ask(lockPath(home));
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
    message: `Waybill is already running${pid === null ? "" : ` (process ${pid})`}.`,
    hint: `\`waybill restart\` restarts it${pid === null ? "" : `, \`kill ${pid}\` stops it`}. To run a second daemon, set another WAYBILL_HOME.`,
    cause,
  });
}

/** Adds a hint to filesystem errors and to errors about the lock file; anything else is a bug and is kept as it is. */
function homeError(home: string, cause: unknown): unknown {
  const trouble = processLocks.troubleIn(cause);
  if (trouble === "damaged") {
    return new AppError({
      code: "home_unusable",
      message: `The lock file ${lockPath(home)} is damaged.`,
      hint: "Make sure that Waybill is not running, then delete the lock file. It holds nothing of value.",
      cause,
    });
  }
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  if (trouble === null && !/^E[A-Z]+$/.test(code)) return cause;
  return new AppError({
    code: "home_unusable",
    message: `The directory ${home} cannot be used: ${messageOf(cause)}.`,
    hint: "Waybill keeps its state there. Make it a writable directory, or set WAYBILL_HOME to another one.",
    cause,
  });
}

/**
 * Rewrites an inbox file that other programs also rewrite, with or without its lock: read, edit, write a replacement,
 * lock, compare, rename, read again. If another program wrote in between, the edit runs again, until it finds nothing
 * to do.
 */
import { renameSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { FailPointHook } from "../../../core/delivery/fail-points.ts";
import type { InboxReader, Looked, Unparsed } from "./inbox-reader.ts";
import type { HeldLock, LockSettings } from "./lock-directory.ts";
import { takeLock } from "./lock-directory.ts";
import type { ParsedInbox } from "./parse-inbox.ts";
import type { InboxFailure } from "./problems.ts";
import { codeOf, directoryMissing, failed, isDirectory, tooLarge, writeFailure } from "./problems.ts";
import type { FileState, Missing } from "./read-bytes.ts";
import { hasBytes, keepOpen, presentState } from "./read-bytes.ts";
import { removeReplacement, syncDirectoryOf, writeBeside } from "./replacement.ts";

export type Edit = {
  /** The new content; null if there is nothing to change. Gets null if there is no file. */
  next(inbox: ParsedInbox | null): Buffer | null;
  /** The file had the new content, if only for a moment. */
  written(): void;
};

export type RewriteContext = {
  readonly reader: InboxReader;
  readonly lock: LockSettings;
  readonly failPoint: FailPointHook | undefined;
  /** Until then other programs are assumed to write so often that preparing without the lock is futile. */
  contendedUntil: number;
  /** The last wait for the lock failed, so the next one is brief. */
  isLockedOut: boolean;
};

export type Rewritten = { outcome: "written" } | { outcome: "nothing" } | InboxFailure;

/** `before` is the old content; null for none. */
type Prepared = { outcome: "prepared"; temporary: string; before: Buffer | null; next: Buffer };
type Again = { outcome: "again" };

const contendedMs = 1000;
/**
 * Enough for a few tries. Waiting in full each time for a program that keeps the lock would hold up everything else.
 */
const briefWaitMs = 20;
const maxRounds = 20;
/** After this many rounds, a file that keeps changing from its beginning is parsed under the lock. */
const patientRounds = 5;

export async function rewrite(context: RewriteContext, edit: Edit): Promise<Rewritten> {
  let isWritten = false;
  const noted: Edit = {
    next: (inbox) => edit.next(inbox),
    written: () => {
      isWritten = true;
      edit.written();
    },
  };
  let lockFirst = performance.now() < context.contendedUntil;
  for (let round = 0; round < maxRounds; round++) {
    const done = await (lockFirst
      ? lockedRound(context, noted, round >= patientRounds)
      : preparedRound(context, noted));
    if (done.outcome === "failed") return done;
    if (done.outcome === "written" || done.outcome === "nothing") {
      // Not under the lock: only the caller needs the rename to be durable.
      if (isWritten) await syncDirectoryOf(context.reader.path);
      return isWritten ? { outcome: "written" } : done;
    }
    // Another program wrote despite the lock.
    if (lockFirst && done.outcome === "again") await pause(1 + Math.random() * 10);
    lockFirst = done.outcome === "again";
    if (lockFirst) context.contendedUntil = performance.now() + contendedMs;
  }
  return failed("unwritable", `${context.reader.path} is constantly rewritten by programs that do not lock it.`);
}

/** Slow work and disk waits come before the lock, so that other programs hardly notice it. */
async function preparedRound(context: RewriteContext, edit: Edit): Promise<Rewritten | Again> {
  const { reader } = context;
  const looked = await reader.look();
  const prepared = looked.outcome === "failed" ? looked : await prepare(context, edit, looked);
  if (prepared.outcome !== "prepared") return prepared;
  const lock = await lockFile(context);
  if ("outcome" in lock) {
    removeReplacement(prepared.temporary);
    return lock;
  }
  return releasing(lock, context, async () => replace(context, edit, prepared, lock));
}

/** Where other programs write all the time, only the lock keeps them off long enough. */
async function lockedRound(
  context: RewriteContext,
  edit: Edit,
  parseAll: boolean,
): Promise<Rewritten | Again | Unparsed> {
  const { reader } = context;
  const lock = await lockFile(context);
  if ("outcome" in lock) return lock;
  if (lock.wasAwaited) context.contendedUntil = performance.now() + contendedMs;
  return releasing(lock, context, async () => {
    const looked = reader.lookNow({ parseAll });
    if (looked.outcome === "failed" || looked.outcome === "unparsed") return looked;
    const prepared = await prepare(context, edit, looked);
    return prepared.outcome === "prepared" ? replace(context, edit, prepared, lock) : prepared;
  });
}

/** Whether the file could be written, judging by its lock and mode. Changes nothing. */
export async function mayBeWritten(context: RewriteContext): Promise<boolean> {
  const lock = await lockFile(context);
  if ("outcome" in lock) return false;
  await lock.release();
  const state = presentState(context.reader.path);
  return state === null || !isReadOnly(state);
}

async function lockFile(context: RewriteContext): Promise<HeldLock | InboxFailure> {
  const { reader, lock: settings, isLockedOut } = context;
  const waitMs = isLockedOut ? Math.min(briefWaitMs, settings.waitMs) : settings.waitMs;
  const lock = await takeLock(reader.path, { ...settings, waitMs });
  context.isLockedOut = "outcome" in lock && lock.problem === "locked";
  return lock;
}

async function releasing<T>(lock: HeldLock, { failPoint }: RewriteContext, work: () => Promise<T>): Promise<T> {
  try {
    failPoint?.("inbox.locked");
    return await work();
  } finally {
    await lock.release();
  }
}

async function prepare(
  { reader: { path, maxBytes }, failPoint }: RewriteContext,
  edit: Edit,
  looked: Looked | Missing,
): Promise<Prepared | Rewritten> {
  const { inbox, state } = looked.outcome === "looked" ? looked : { inbox: null, state: null };
  const next = edit.next(inbox);
  if (next === null) return { outcome: "nothing" };
  if (next.length > maxBytes) return tooLarge(path, next.length, maxBytes);
  if (state !== null && isReadOnly(state)) return failed("read_only", `${path} is read-only for its owner.`);
  try {
    const temporary = await writeBeside(path, next, state);
    failPoint?.("inbox.written");
    return { outcome: "prepared", temporary, before: inbox?.bytes ?? null, next };
  } catch (error) {
    if (codeOf(error) === "ENOENT" && !isDirectory(dirname(path))) return directoryMissing(path);
    return writeFailure(path, error);
  }
}

/** By the mode alone, because the superuser may write anything. */
function isReadOnly({ mode }: FileState): boolean {
  return (mode & 0o200) === 0;
}

/** Synchronous from the comparison to the rename. */
function replace(
  { reader: { path }, failPoint }: RewriteContext,
  edit: Edit,
  { temporary, before, next }: Prepared,
  lock: HeldLock,
): Rewritten | Again {
  try {
    if (!lock.isHeld() || !hasBytes(path, before)) {
      removeReplacement(temporary);
      return { outcome: "again" };
    }
    // Freeing the old file takes as long as writing it did. That can wait until the lock is released.
    setImmediate(keepOpen(path));
    renameSync(temporary, path);
  } catch (error) {
    removeReplacement(temporary);
    if (codeOf(error) !== "ENOENT") return writeFailure(path, error);
    return isDirectory(dirname(path)) ? { outcome: "again" } : directoryMissing(path);
  }
  edit.written();
  failPoint?.("inbox.renamed");
  if (!hasBytes(path, next)) return { outcome: "again" };
  failPoint?.("inbox.verified");
  return { outcome: "written" };
}

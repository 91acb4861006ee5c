/**
 * The problems an inbox file can have, as values. Each has a sentence that says what is wrong and, if it helps, what to
 * do.
 */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../platform/app-error.ts";

export type InboxProblem =
  | "corrupt"
  | "too_large"
  | "link"
  | "read_only"
  | "locked"
  | "unwritable"
  | "unreadable"
  | "directory_missing";

export type InboxFailure = { outcome: "failed"; problem: InboxProblem; error: string };

/** Whether reading the file fails for the same reason as writing it. */
export function isToldByReading({ problem }: InboxFailure): boolean {
  switch (problem) {
    case "corrupt":
    case "too_large":
    case "link":
    case "unreadable":
    case "directory_missing":
      return true;
    case "read_only":
    case "locked":
    case "unwritable":
      return false;
    default:
      return problem satisfies never;
  }
}

export function failed(problem: InboxProblem, error: string): InboxFailure {
  return { outcome: "failed", problem, error };
}

export function corrupt(path: string, damage: string): InboxFailure {
  return failed("corrupt", `${path} is damaged: ${damage}. Waybill left it as it is; repair or remove it.`);
}

export function tooLarge(path: string, bytes: number, maxBytes: number): InboxFailure {
  return failed("too_large", `${path} has, or would have, ${bytes} bytes; the limit is ${maxBytes}.`);
}

export function noRegularFile(path: string): InboxFailure {
  return failed("link", `${path} is not a regular file, so it is neither read nor replaced.`);
}

export function directoryMissing(path: string): InboxFailure {
  return failed("directory_missing", `The directory ${dirname(path)} does not exist.`);
}

/** A failed system call while reading. Any other error is a bug and is thrown. */
export function readFailure(path: string, error: unknown): InboxFailure {
  return failed("unreadable", `${path} cannot be read: ${systemMessage(error)}.`);
}

export function writeFailure(path: string, error: unknown): InboxFailure {
  return failed("unwritable", `${path} cannot be written: ${systemMessage(error)}.`);
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** Also false if that cannot be determined. */
export function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function systemMessage(error: unknown): string {
  if ((error as NodeJS.ErrnoException).errno === undefined) throw error;
  return messageOf(error);
}

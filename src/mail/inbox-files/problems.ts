/** What can be wrong with an inbox file, as values. Each comes with a sentence that says what, and where it helps, what to do. */
import { statSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../app-error.ts";

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

/** Whether reading the file fails for the same reason. */
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
  return failed("corrupt", `${path} is damaged: ${damage}. It is left as it is; mend or remove it.`);
}

export function tooLarge(path: string, bytes: number, maxBytes: number): InboxFailure {
  return failed("too_large", `${path} has ${bytes} bytes, or would have; at most ${maxBytes} are read and written.`);
}

export function noRegularFile(path: string): InboxFailure {
  return failed("link", `${path} is a link or no regular file, so it is neither read nor replaced.`);
}

export function directoryMissing(path: string): InboxFailure {
  return failed("directory_missing", `The directory ${dirname(path)} does not exist.`);
}

/** What a call of the system said about reading. Anything that is no answer of the system is a bug, and thrown. */
export function readFailure(path: string, error: unknown): InboxFailure {
  return failed("unreadable", `${path} cannot be read: ${systemMessage(error)}.`);
}

export function writeFailure(path: string, error: unknown): InboxFailure {
  return failed("unwritable", `${path} cannot be written: ${systemMessage(error)}.`);
}

export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}

/** False also where that cannot be told. */
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

/** Puts a configuration into its place: whole or not at all, readable by its owner only, never over another one. */
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../app-error.ts";

export function refuseExisting(path: string): void {
  if (existsSync(path)) throw alreadyThere(path);
}

export function writeConfig(path: string, text: string, options: { replace: boolean }): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    const draft = writeDraft(`${path}.${process.pid}.new`, text);
    try {
      if (options.replace) renameSync(draft, path);
      // Unlike a rename, a link fails where something is, also when it appeared a moment ago.
      else linkSync(draft, path);
    } finally {
      rmSync(draft, { force: true });
    }
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && syscall === "link") throw alreadyThere(path);
    throw new AppError({
      code: "config_unwritable",
      message: `The configuration ${path} could not be written: ${messageOf(error)}.`,
      hint: "Choose another place with --config FILE, or make that one writable.",
      cause: error,
    });
  }
}

function writeDraft(path: string, text: string): string {
  // What a process of the same number left behind when it was killed.
  rmSync(path, { force: true });
  const file = openSync(path, "wx", 0o600);
  try {
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  return path;
}

function alreadyThere(path: string): AppError {
  return new AppError({
    code: "config_exists",
    message: `There is a configuration at ${path} already. It was left as it is.`,
    hint: "Change it with an editor, replace it with --force, or write another one with --config FILE.",
  });
}

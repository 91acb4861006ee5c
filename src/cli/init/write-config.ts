/** Writes a configuration atomically, readable by its owner only, and never replaces one without --force. */
import { existsSync, linkSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { writeWholeFile } from "../../platform/whole-file.ts";

export function refuseExisting(path: string): void {
  if (existsSync(path)) throw alreadyThere(path);
}

export function writeConfig(path: string, text: string, options: { replace: boolean }): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (options.replace) writeWholeFile(path, text);
    else linkNew(path, text);
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && syscall === "link") throw alreadyThere(path);
    throw new AppError({
      code: "config_unwritable",
      message: `Could not write the configuration ${path}: ${messageOf(error)}.`,
      hint: "Choose another path with --config FILE, or make this one writable.",
      cause: error,
    });
  }
}

/** Unlike a rename, a link fails if the target exists, even if it appeared a moment ago. */
function linkNew(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeWholeFile(draft, text);
    linkSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function alreadyThere(path: string): AppError {
  return new AppError({
    code: "config_exists",
    message: `There is already a configuration at ${path}. It was not changed.`,
    hint: "Edit it, replace it with --force, or write another one with --config FILE.",
  });
}

/**
 * Where a lane may work: in an existing directory that, with all symlinks resolved, is inside one of the allowed
 * directories and outside Waybill's own state.
 */
import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { AppError, messageOf } from "../../platform/app-error.ts";
import { expandPath } from "../../platform/home.ts";
import { isInside, realPathIfAny, resolvedPath } from "../../platform/inside.ts";

export type DirectoryRules = {
  /** As configured: absolute or with `~`. A directory that does not exist allows nothing. */
  allowed: readonly string[];
  /** The state directory. */
  home: string;
  /** Directories in there that Waybill made for lanes, such as the demo's; resolved, and allowed anyway. */
  ownLanes?: readonly string[];
};

/** The directory with its symlinks resolved, or an error that says what is wrong with it. */
export function resolveLaneDirectory(path: string, rules: DirectoryRules, env = process.env): string {
  const absolute = path === "~" || path.startsWith("~/") || isAbsolute(path);
  if (!absolute) throw notAllowed(path, "it is not an absolute path", "Start the path with / or ~.");
  const directory = existing(expandPath(path, "/", env));
  if (rules.ownLanes?.includes(directory)) return directory;
  const allowed = rules.allowed.map((one) => realPathIfAny(expandPath(one, "/", env)));
  if (!allowed.some((one) => one !== null && isInside(directory, one))) {
    const known = rules.allowed.length === 0 ? "none" : rules.allowed.join(", ");
    const why = directory === path ? "" : ` (it resolves to ${directory})`;
    throw notAllowed(
      path,
      `it is not in an allowed directory${why}`,
      `Allowed: ${known}. Choose a directory inside these, or add one to allowedDirectories in the configuration.`,
    );
  }
  if (isInside(directory, resolvedPath(rules.home))) {
    throw notAllowed(path, `Waybill keeps its state there (${rules.home})`, "Choose a directory outside of it.");
  }
  return directory;
}

function existing(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    throw missing(
      path,
      code === "ENOENT" || code === "ENOTDIR" ? "does not exist" : `cannot be used: ${messageOf(cause)}`,
      cause,
    );
  }
  throw missing(path, "is not a directory");
}

function notAllowed(path: string, why: string, hint: string): AppError {
  return new AppError({ code: "directory_not_allowed", message: `Waybill may not work in ${path}: ${why}.`, hint });
}

function missing(path: string, what: string, cause?: unknown): AppError {
  const hint = "Create the directory, or choose another one.";
  return new AppError({ code: "directory_missing", message: `The directory ${path} ${what}.`, hint, cause });
}

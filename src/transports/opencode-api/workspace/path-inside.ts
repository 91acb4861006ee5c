/**
 * Resolves a client's path to a file. With symlinks resolved, it must be inside the workspace and outside Waybill's own
 * state.
 */
import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { AppError } from "../../../platform/app-error.ts";
import type { Workspace } from "../../../service/service.ts";
import { isShown } from "../../../service/workspace/is-shown.ts";

/** The path with symlinks resolved. */
export async function pathInside(workspace: Workspace, path: string): Promise<string> {
  const asked = resolve(workspace.directory, path);
  // Checked before anything is read: clients must not learn what exists elsewhere.
  if (path.includes("\0") || !isShown(workspace, asked)) throw notAllowed(path);
  const real = await realpath(asked).catch((cause) => {
    throw missing(path, cause);
  });
  if (!isShown(workspace, real)) throw notAllowed(path);
  return real;
}

/** The real path of a name; null when it does not exist or is not shown. */
export async function shownAt(workspace: Workspace, name: string): Promise<string | null> {
  const real = await realpath(resolve(workspace.directory, name)).catch(() => null);
  return real !== null && isShown(workspace, real) ? real : null;
}

/** The path in the clients' format: relative to the directory, and with a trailing slash for directories. */
export function shownPath({ directory }: Workspace, path: string, isDirectory: boolean): string {
  return relative(directory, path) + (isDirectory ? "/" : "");
}

export function missing(path: string, cause?: unknown): AppError {
  return new AppError({
    code: "not_found",
    message: `"${path}" does not exist in this directory.`,
    hint: "GET /file lists the files.",
    cause,
  });
}

export function notAllowed(path: string): AppError {
  return new AppError({
    code: "path_not_allowed",
    message: `Access to "${path}" is not allowed.`,
    hint: "Name a file inside the directory of the request; links out of it are not followed.",
  });
}

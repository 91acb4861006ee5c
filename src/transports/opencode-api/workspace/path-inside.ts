/**
 * Which file a client's path means. With its symlinks resolved it has to lie in the workspace, and not in Waybill's own
 * state.
 */
import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { AppError } from "../../../app-error.ts";
import { isInside } from "../../../inside.ts";
import type { Workspace } from "../../../service/service.ts";

/** With its symlinks resolved. */
export async function pathInside(workspace: Workspace, path: string): Promise<string> {
  const asked = resolve(workspace.directory, path);
  // Before anything is read: clients must not learn what exists elsewhere.
  if (path.includes("\0") || !isShown(workspace, asked)) throw notAllowed(path);
  const real = await realpath(asked).catch((cause) => {
    throw missing(path, cause);
  });
  if (!isShown(workspace, real)) throw notAllowed(path);
  return real;
}

/**
 * Whether a path is in the workspace and in no denied directory. A workspace inside the state directory, made for lanes,
 * is not denied by that.
 */
export function isShown({ directory, denied }: Workspace, path: string): boolean {
  if (!isInside(path, directory)) return false;
  return !denied.some((state) => !isInside(directory, state) && isInside(path, state));
}

/** The real path of a name; null when it does not exist or is not shown. */
export async function shownAt(workspace: Workspace, name: string): Promise<string | null> {
  const real = await realpath(resolve(workspace.directory, name)).catch(() => null);
  return real !== null && isShown(workspace, real) ? real : null;
}

/** As clients name it: from the directory, and with a slash behind directories. */
export function shownPath({ directory }: Workspace, path: string, isDirectory: boolean): string {
  return relative(directory, path) + (isDirectory ? "/" : "");
}

export function missing(path: string, cause?: unknown): AppError {
  return new AppError({
    code: "not_found",
    message: `There is no "${path}" in this directory.`,
    hint: "GET /file lists what there is.",
    cause,
  });
}

export function notAllowed(path: string): AppError {
  return new AppError({
    code: "path_not_allowed",
    message: `"${path}" is not to be seen from here.`,
    hint: "Name a file inside the directory that the request is about; links that lead out of it are not followed.",
  });
}

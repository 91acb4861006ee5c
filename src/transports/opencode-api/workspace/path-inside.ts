/**
 * Which file a client's path means. It has to lie in the directory that the request is about after all symlinks were
 * followed, and not in what Waybill keeps for itself.
 */
import { realpath } from "node:fs/promises";
import { relative, resolve } from "node:path";
import { AppError } from "../../../app-error.ts";
import { isInside } from "../../../inside.ts";
import type { Workspace } from "../../../service/service.ts";

/** With its symlinks resolved. */
export async function pathInside(place: Workspace, path: string): Promise<string> {
  const asked = resolve(place.directory, path);
  // Before anything is looked at: nobody learns what there is elsewhere.
  if (path.includes("\0") || !isShown(place, asked)) throw notAllowed(path);
  const real = await realpath(asked).catch((cause) => {
    throw missing(path, cause);
  });
  if (!isShown(place, real)) throw notAllowed(path);
  return real;
}

/**
 * Whether a path is in the place and in none that is denied. A place that was made for lanes in the state directory
 * itself is not denied by that.
 */
export function isShown({ directory, denied }: Workspace, path: string): boolean {
  if (!isInside(path, directory)) return false;
  return !denied.some((state) => !isInside(directory, state) && isInside(path, state));
}

/** Where a name really leads; null for what is not there, or not to be seen. A name may have links on its way. */
export async function shownAt(place: Workspace, name: string): Promise<string | null> {
  const real = await realpath(resolve(place.directory, name)).catch(() => null);
  return real !== null && isShown(place, real) ? real : null;
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

function notAllowed(path: string): AppError {
  return new AppError({
    code: "path_not_allowed",
    message: `"${path}" is not to be seen from here.`,
    hint: "Name a file inside the directory that the request is about; links that lead out of it are not followed.",
  });
}

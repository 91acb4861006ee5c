/** The directory that a client sees: one in which a lane may work, without Waybill's own state. */

import type { Lane } from "../../core/lane/lane.ts";
import { AppError } from "../../platform/app-error.ts";
import { isInside } from "../../platform/inside.ts";
import type { Workspace } from "../service.ts";

type DirectoryRules = {
  resolveDirectory: (path: string) => string;
  allowedDirectories: readonly string[];
  stateDirectories: readonly string[];
  lanes: readonly Lane[];
};

export function workspace(path: string | undefined, rules: DirectoryRules): Workspace {
  const directory = path === undefined ? defaultDirectory(rules) : rules.resolveDirectory(path);
  return { directory, denied: rules.stateDirectories };
}

function defaultDirectory({ resolveDirectory, allowedDirectories, lanes }: DirectoryRules): string {
  const oldestFirst = lanes.toSorted((a, b) => a.createdAt - b.createdAt).map(({ directory }) => directory);
  for (const path of [...oldestFirst, ...allowedDirectories]) {
    try {
      return resolveDirectory(path);
    } catch {
      // Moved away, or no longer allowed.
    }
  }
  throw new AppError({
    code: "directory_missing",
    message: "None of the allowed directories exist.",
    hint: "Create one of them, or add another one to allowedDirectories in the configuration.",
  });
}

/**
 * Whether a path is in the workspace and in no denied directory. A workspace that is itself inside the state directory
 * is not denied because of that.
 */
export function isShown({ directory, denied }: Workspace, path: string): boolean {
  if (!isInside(path, directory)) return false;
  return !denied.some((state) => !isInside(directory, state) && isInside(path, state));
}

/** The directory that a client sees: one in which a lane may work, without what Waybill keeps there. */
import { AppError } from "../app-error.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Workspace } from "./service.ts";

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
      // Moved away, or not allowed any more.
    }
  }
  throw new AppError({
    code: "directory_missing",
    message: "None of the allowed directories exists.",
    hint: "Make one of them, or name another one in allowedDirectories in the configuration.",
  });
}

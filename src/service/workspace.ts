/** Where somebody may look around: in a directory that a lane may have, and not in what Waybill keeps there. */
import { AppError } from "../app-error.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Workspace } from "./service.ts";

type Places = {
  resolveDirectory: (path: string) => string;
  allowedDirectories: readonly string[];
  stateDirectories: readonly string[];
  lanes: readonly Lane[];
};

export function workspace(wanted: string | undefined, places: Places): Workspace {
  const directory = wanted === undefined ? usualPlace(places) : places.resolveDirectory(wanted);
  return { directory, denied: places.stateDirectories };
}

function usualPlace({ resolveDirectory, allowedDirectories, lanes }: Places): string {
  const oldestFirst = lanes.toSorted((a, b) => a.createdAt - b.createdAt).map(({ directory }) => directory);
  for (const path of [...oldestFirst, ...allowedDirectories]) {
    try {
      return resolveDirectory(path);
    } catch {
      // Moved away, or not allowed any more: the next one may be there.
    }
  }
  throw new AppError({
    code: "directory_missing",
    message: "None of the allowed directories exists.",
    hint: "Make one of them, or name another one in allowedDirectories in the configuration.",
  });
}

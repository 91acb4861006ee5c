/** Which paths clients may see. */
import { isInside } from "../../platform/inside.ts";
import type { Workspace } from "../service.ts";

/**
 * Whether a path is in the workspace and in no denied directory. A workspace that is itself inside the state directory
 * is not denied because of that.
 */
export function isShown({ directory, denied }: Workspace, path: string): boolean {
  if (!isInside(path, directory)) return false;
  return !denied.some((state) => !isInside(directory, state) && isInside(path, state));
}

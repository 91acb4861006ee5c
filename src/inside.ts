/** Where a path is once its symlinks are followed, and whether one path lies inside another. */
import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** Whether a path is a directory or lies in it. Both absolute and with their symlinks resolved. */
export function isInside(path: string, directory: string): boolean {
  const steps = relative(directory, path);
  return steps !== ".." && !steps.startsWith(`..${sep}`) && !isAbsolute(steps);
}

/** Null for a path that cannot be resolved, whatever the reason. */
export function realPathIfAny(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}

/** Where a directory is, or would be: it may not exist yet, and the part of its path that does may hold a symlink. */
export function resolvedPath(path: string): string {
  const real = realPathIfAny(path);
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(resolvedPath(dirname(path)), relative(dirname(path), path));
}

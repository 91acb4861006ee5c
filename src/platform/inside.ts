/** Resolves symlinks in paths, and tells whether one path lies inside another. */
import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, relative, sep } from "node:path";

/** Whether a path is the directory or lies in it. Both must be absolute with their symlinks resolved. */
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

/** The real path of a directory that may not exist yet. The existing part of its path may contain a symlink. */
export function resolvedPath(path: string): string {
  const real = realPathIfAny(path);
  if (real !== null || dirname(path) === path) return real ?? path;
  return join(resolvedPath(dirname(path)), relative(dirname(path), path));
}

/** Whether a path is a directory or lies in it. Both must be absolute, with symlinks resolved. Pure. */
import { isAbsolute, relative, sep } from "node:path";

export function isInside(path: string, directory: string): boolean {
  const relativePath = relative(directory, path);
  return relativePath !== ".." && !relativePath.startsWith(`..${sep}`) && !isAbsolute(relativePath);
}

/** Whether a path lies in a place, or is it. Both absolute and with their symlinks resolved. Pure. */
import { isAbsolute, relative, sep } from "node:path";

export function isInside(path: string, place: string): boolean {
  const way = relative(place, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

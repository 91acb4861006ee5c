/** Resolves symlinks like the operating system, even in paths that do not exist. */
import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";

/** The operating system gives up after the same number of links. */
const maxLinks = 40;

/** A missing path is resolved from its nearest parent. A dangling link is followed, because writing follows it. */
export function realPath(path: string, links: number = maxLinks): string {
  try {
    // The non-native variant removes `..` before it resolves links.
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const resolved = join(realPath(parent, links), basename(path));
    const target = links > 0 ? targetOf(resolved) : null;
    if (target === null) return resolved;
    return realPath(isAbsolute(target) ? target : `${dirname(resolved)}/${target}`, links - 1);
  }
}

/** Null if the path is not a link. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

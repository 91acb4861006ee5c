/** Where a path leads once symlinks were followed, as the system itself follows them; also one to what is not there. */
import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";

/** As many as the system follows before it gives up. */
const maxLinks = 40;

/** Of what is not there yet, where its nearest parent leads. A link to what is not there is followed: writing does so. */
export function realPath(path: string, links: number = maxLinks): string {
  try {
    // The other one takes `..` away before it looks for links.
    return realpathSync.native(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    const place = join(realPath(parent, links), basename(path));
    const target = links > 0 ? targetOf(place) : null;
    if (target === null) return place;
    return realPath(isAbsolute(target) ? target : `${dirname(place)}/${target}`, links - 1);
  }
}

/** Null where there is no link. */
function targetOf(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

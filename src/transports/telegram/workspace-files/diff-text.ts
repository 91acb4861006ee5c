/** File changes as one diff. Pure. */
import { relative } from "node:path";
import type { ChangedFile } from "./changed-files.ts";

/** Null when no change has a diff to show. */
export function diffOf(changes: readonly ChangedFile[], directory: string): string | null {
  const diffs = changes.flatMap(({ path, diff }) =>
    diff === null ? [] : [withHeader(diff, relative(directory, path))],
  );
  return diffs.length === 0 ? null : diffs.join("");
}

/** Some agent programs report only the changed lines. */
function withHeader(diff: string, path: string): string {
  const body = diff.endsWith("\n") ? diff : `${diff}\n`;
  return /^(---|diff |Index: )/m.test(body) ? body : `--- a/${path}\n+++ b/${path}\n${body}`;
}

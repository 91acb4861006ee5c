/**
 * Whether a lane's directory can be worked in. It was there when the lane was made, and may be gone since; agent programs
 * do not all mind, and would do their work in a place that nobody means.
 */
import { access, constants, stat } from "node:fs/promises";

/** Null when it can; else a reason, with the directory in it. */
export async function directoryProblem(directory: string): Promise<string | null> {
  try {
    if (!(await stat(directory)).isDirectory()) return `directory_missing: ${directory} is not a directory`;
    await access(directory, constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isGone = code === "ENOENT" || code === "ENOTDIR";
    return isGone ? `directory_missing: ${directory} is not there` : `directory_missing: ${directory} (${code})`;
  }
}

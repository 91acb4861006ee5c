/**
 * Whether a lane's directory can be used. It may have been removed since the lane was created, and some agent programs
 * would then work in another directory.
 */
import { access, constants, stat } from "node:fs/promises";

/** Null if the directory can be used, otherwise a reason that names it. */
export async function directoryProblem(directory: string): Promise<string | null> {
  try {
    if (!(await stat(directory)).isDirectory()) return `directory_missing: ${directory} is not a directory`;
    await access(directory, constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isMissing = code === "ENOENT" || code === "ENOTDIR";
    return isMissing ? `directory_missing: ${directory} does not exist` : `directory_missing: ${directory} (${code})`;
  }
}

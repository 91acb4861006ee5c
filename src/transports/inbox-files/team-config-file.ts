/** Reads a team's `config.json`, which another program writes. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import type { TeamConfig } from "../../core/inbox/team-config.ts";
import { teamConfigIn } from "../../core/inbox/team-config.ts";

const maxBytes = 1024 * 1024;

/** Null if there is none, or none that is readable right now: the other program may be writing it. */
export async function readTeamConfig(directory: string): Promise<TeamConfig | null> {
  const path = join(directory, "config.json");
  try {
    const { size, isFile } = await stat(path).then((found) => ({ size: found.size, isFile: found.isFile() }));
    return isFile && size <= maxBytes ? teamConfigIn(JSON.parse(await readFile(path, "utf8"))) : null;
  } catch (error) {
    if (error instanceof SyntaxError || isFileError(error)) return null;
    throw error;
  }
}

export function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && typeof (error as NodeJS.ErrnoException).code === "string";
}

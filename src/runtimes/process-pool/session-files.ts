/**
 * Lists the sessions of a directory by the files that an agent program keeps of them. The names of its folders are made
 * from directories and fit several of them, so the working directory that is written in a file decides.
 */
import { createReadStream } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { asText, jsonIn } from "../json-fields.ts";

export type SessionFileSearch = {
  /** Where files of the directory may be. */
  folders: readonly string[];
  /** The session of a file of this name; null for other files. */
  sessionOf: (name: string) => string | null;
  directory: string;
  /** Files that have not changed from then on are left out. */
  since: number;
};

/** The sessions whose files changed last first. */
export async function listSessionFiles(search: SessionFileSearch): Promise<string[]> {
  const directory = await resolved(search.directory);
  const files = (await Promise.all(search.folders.map((folder) => filesIn(folder, search)))).flat();
  const found: string[] = [];
  for (const { sessionId, path } of files.sort((one, other) => other.changedAt - one.changedAt)) {
    const worksIn = await ifThere(workingDirectory(path), path);
    if (worksIn === null || (await resolved(worksIn)) === directory) found.push(sessionId);
  }
  return found;
}

type SessionFile = { sessionId: string; path: string; changedAt: number };

async function filesIn(folder: string, { sessionOf, since }: SessionFileSearch): Promise<SessionFile[]> {
  const names = await ifThere(readdir(folder), []);
  const files = names.map(async (name): Promise<SessionFile | null> => {
    const sessionId = sessionOf(name);
    if (sessionId === null) return null;
    const path = join(folder, name);
    const stats = await ifThere(stat(path), null);
    return stats?.isFile() && stats.mtimeMs >= since ? { sessionId, path, changedAt: stats.mtimeMs } : null;
  });
  return (await Promise.all(files)).filter((file) => file !== null);
}

/** The first that a row names. Null where none does: then there is no conversation yet. */
async function workingDirectory(path: string): Promise<string | null> {
  let rest = "";
  for await (const chunk of createReadStream(path, "utf8")) {
    const lines = `${rest}${chunk}`.split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const directory = asText(jsonIn(line)?.cwd);
      if (directory !== null) return directory;
    }
  }
  return null;
}

/** With links resolved, where it exists. */
function resolved(directory: string): Promise<string> {
  return ifThere(realpath(directory), directory);
}

async function ifThere<T>(found: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await found;
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return otherwise;
    throw error;
  }
}

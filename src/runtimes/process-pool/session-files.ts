/**
 * Lists the sessions of a directory by the agent program's session files. Several directories can share a folder name,
 * so the working directory that is stored in a file decides.
 */
import { createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { asText, jsonIn } from "../json-fields.ts";

export type SessionFileSearch = {
  /** The folders that may contain files of the directory. */
  folders: readonly string[];
  /** The session that a file name belongs to; null for other files. */
  sessionOf: (name: string) => string | null;
  directory: string;
  /** Leaves out files that have not changed since then. */
  since: number;
};

/** Most recently changed first. */
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

/** The first directory that a row names. Null if none does: then there is no conversation yet. */
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

/** Resolves links, if the directory exists. */
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

/** Small files that remember facts about sessions across restarts, such as which prompt was sent last. */
export class SessionMarkers {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  write(name: string, text = ""): void {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(this.#directory, name), text, { flush: true });
  }

  has(name: string): boolean {
    return existsSync(join(this.#directory, name));
  }

  read(name: string): string | null {
    return this.has(name) ? readFileSync(join(this.#directory, name), "utf8") : null;
  }
}

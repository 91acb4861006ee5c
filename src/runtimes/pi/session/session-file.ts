/** pi's session files. They are in its own folders, so that `pi --resume` finds them. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export type SessionFolders = {
  folderOf: (directory: string) => string;
  all: () => readonly string[];
};

export function sessionFolders(env: NodeJS.ProcessEnv): SessionFolders {
  const home = env.HOME ?? homedir();
  const path = (given: string) => resolve(given.replace(/^~(?=\/|$)/, home));
  const flat = env.PI_CODING_AGENT_SESSION_DIR;
  if (flat) return { folderOf: () => path(flat), all: () => [path(flat)] };
  const root = join(path(env.PI_CODING_AGENT_DIR ?? join(home, ".pi", "agent")), "sessions");
  return {
    folderOf: (directory) => join(root, folderName(directory)),
    all: () => (existsSync(root) ? readdirSync(root).map((name) => join(root, name)) : []),
  };
}

function folderName(directory: string): string {
  const real = existsSync(directory) ? realpathSync(directory) : directory;
  return `--${real.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}

/** The existing or future file of a session. In names that pi chooses, the time precedes the id. */
export function sessionFile(folders: SessionFolders, directory: string, sessionId: string): string {
  const ours = join(folders.folderOf(directory), `waybill_${sessionId}.jsonl`);
  if (existsSync(ours)) return ours;
  return folders.all().flatMap((folder) => filesOf(folder, sessionId))[0] ?? ours;
}

/** The session that a file name belongs to; null for other files. */
export function sessionOfFile(name: string): string | null {
  return /^[^_]+_(.+)\.jsonl$/.exec(name)?.[1] ?? null;
}

function filesOf(folder: string, sessionId: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(`_${sessionId}.jsonl`))
      .map((name) => join(folder, name));
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return [];
    throw error;
  }
}

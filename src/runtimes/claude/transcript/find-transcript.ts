/** Where Claude Code keeps the transcript of a session. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Null while there is none. */
export function findTranscript(configDirectory: string, directory: string, sessionId: string): string | null {
  const projects = join(configDirectory, "projects");
  const usual = join(projects, folderOf(directory), `${sessionId}.jsonl`);
  if (existsSync(usual)) return usual;
  // Very long names are shortened, and a session stays where it began when its directory has moved.
  const folders = existsSync(projects) ? readdirSync(projects) : [];
  return folders.map((folder) => join(projects, folder, `${sessionId}.jsonl`)).find((path) => existsSync(path)) ?? null;
}

function folderOf(directory: string): string {
  const real = existsSync(directory) ? realpathSync(directory) : directory;
  return real.replace(/[^a-zA-Z0-9]/g, "-");
}

/** Finds the file in which Claude Code keeps the transcript of a session. */
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { join } from "node:path";

/** Null while the file does not exist. */
export function findTranscript(configDirectory: string, directory: string, sessionId: string): string | null {
  const projects = join(configDirectory, "projects");
  const usual = join(projects, folderOf(directory), `${sessionId}.jsonl`);
  if (existsSync(usual)) return usual;
  // The program shortens very long names, and a session's file stays in its first folder when the directory moves.
  const folders = existsSync(projects) ? readdirSync(projects) : [];
  return folders.map((folder) => join(projects, folder, `${sessionId}.jsonl`)).find((path) => existsSync(path)) ?? null;
}

/** The folders that may hold the transcripts of sessions that began in a directory. */
export function transcriptFolders(configDirectory: string, directory: string): string[] {
  const projects = join(configDirectory, "projects");
  const name = folderOf(directory);
  if (name.length <= maxName) return [join(projects, name)];
  const folders = existsSync(projects) ? readdirSync(projects) : [];
  return folders.filter((folder) => folder.startsWith(name.slice(0, maxName))).map((folder) => join(projects, folder));
}

/** The program truncates a longer name and appends a hash. */
const maxName = 200;

/** The session that a file belongs to. Subagents' files are named `agent-…` and have their own folders. */
export function sessionOfTranscript(name: string): string | null {
  return /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i.exec(name)?.[1] ?? null;
}

function folderOf(directory: string): string {
  const real = existsSync(directory) ? realpathSync(directory) : directory;
  return real.replace(/[^a-zA-Z0-9]/g, "-");
}

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

/** Where the transcripts of sessions that began in a directory may be. */
export function transcriptFolders(configDirectory: string, directory: string): string[] {
  const projects = join(configDirectory, "projects");
  const name = folderOf(directory);
  if (name.length <= maxName) return [join(projects, name)];
  const folders = existsSync(projects) ? readdirSync(projects) : [];
  return folders.filter((folder) => folder.startsWith(name.slice(0, maxName))).map((folder) => join(projects, folder));
}

/** The program cuts a longer name, and adds a hash of its own. */
const maxName = 200;

/** The session of a file. Those of subagents are called `agent-…`, and stand in folders of their own. */
export function sessionOfTranscript(name: string): string | null {
  return /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/i.exec(name)?.[1] ?? null;
}

function folderOf(directory: string): string {
  const real = existsSync(directory) ? realpathSync(directory) : directory;
  return real.replace(/[^a-zA-Z0-9]/g, "-");
}

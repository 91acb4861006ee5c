/** Finds the file in which Claude Code keeps the transcript of a session. */
import { randomUUID } from "node:crypto";
import { existsSync, readdirSync, realpathSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { AppError } from "../../../platform/app-error.ts";
import { writeWholeFile } from "../../../platform/whole-file.ts";
import { jsonLines } from "../../json-fields.ts";

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

/** A session without messages has no file, like every session before its first prompt. */
export async function forkTranscript(
  path: string,
  before: string | null,
): Promise<{ sessionId: string; hasFile: boolean }> {
  const rows = jsonLines(await readFile(path, "utf8"));
  const end = before === null ? rows.length : rows.findIndex(({ type, uuid }) => type === "user" && uuid === before);
  if (end < 0) throw promptUnknown();
  const sessionId = randomUUID();
  const copied = rows.slice(0, end);
  if (!copied.some(({ type }) => type === "user" || type === "assistant")) return { sessionId, hasFile: false };
  const lines = copied.map((row) => `${JSON.stringify("sessionId" in row ? { ...row, sessionId } : row)}\n`);
  writeWholeFile(join(dirname(path), `${sessionId}.jsonl`), lines.join(""));
  return { sessionId, hasFile: true };
}

function promptUnknown(): AppError {
  return new AppError({
    code: "message_unknown",
    message: "Claude Code's session does not contain that message, or the message joined a turn that was running.",
    hint: "Fork at another message, or name none to fork the whole session.",
  });
}

/** pi's session files. They are in its own folders, so that `pi --resume` finds them. */

import { existsSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";
import { messageId } from "../lines.ts";

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

export type SessionCopy = {
  rows: readonly Json[];
  /** Maps the old ids of the messages to the new ones. */
  renamed: Map<string, string>;
};

/**
 * Copies the whole file, like pi's `--fork`, or the path to a prompt, like its `/fork`. Null if there is no such prompt. No rows if there is no answer yet, since pi writes nothing before the first one. */
export function copyOfSession(
  rows: readonly Json[],
  { from, to, path, before, at }: { from: string; to: string; path: string; before: string | null; at: number },
): SessionCopy | null {
  const header = rows.find(({ type }) => type === "session");
  const entries = rows.filter((row) => row !== header);
  const prompt = before === null ? null : entries.find((entry) => entryId(from, entry) === before);
  if (!header || prompt === undefined) return null;
  const copied = prompt === null ? entries : pathTo(asText(prompt.parentId), entries);
  const renamed = new Map(copied.flatMap((entry) => renamedIds(entry, from, to)));
  if (!copied.some((entry) => asObject(entry.message)?.role === "assistant")) return { rows: [], renamed: new Map() };
  const head = { ...header, id: to, timestamp: new Date(at).toISOString(), parentSession: path };
  return { rows: [head, ...copied], renamed };
}

/** A session is a tree, and pi continues from the last row of its file. */
function pathTo(leaf: string | null, entries: readonly Json[]): Json[] {
  const byId = new Map(entries.map((entry) => [asText(entry.id), entry]));
  const path: Json[] = [];
  for (let entry = byId.get(leaf); entry && leaf !== null; entry = byId.get(asText(entry.parentId)))
    path.unshift(entry);
  return path;
}

function entryId(sessionId: string, { type, message }: Json): string | null {
  const body = type === "message" ? asObject(message) : null;
  return body && messageId(sessionId, body);
}

function renamedIds(entry: Json, from: string, to: string): [string, string][] {
  const [oldId, newId] = [entryId(from, entry), entryId(to, entry)];
  return oldId === null || newId === null ? [] : [[oldId, newId]];
}

/** Forks a pi session: copies the whole file, like pi's `--fork`, or the path to a prompt, like its `/fork`. Pure. */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";
import { messageId } from "./message-id.ts";

export type SessionCopy = {
  rows: readonly Json[];
  /** Maps the old ids of the messages to the new ones. */
  renamed: Map<string, string>;
};

/** Null if there is no such prompt. No rows if there is no answer yet, since pi writes nothing before the first one. */
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

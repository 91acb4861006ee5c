/**
 * A second session of pi with what another one has: a copy of its file, as pi's own `--fork` makes one, or of the way to
 * a prompt, as its `/fork` does. Pure.
 */
import type { Json } from "../../json-fields.ts";
import { asObject, asText } from "../../json-fields.ts";
import { messageId } from "./message-id.ts";

export type SessionCopy = {
  rows: readonly Json[];
  /** What its messages are called, by the names that they had. */
  renamed: Map<string, string>;
};

/** Null when there is no such prompt; without rows when nothing was said, since pi writes nothing before the first answer. */
export function copyOfSession(
  rows: readonly Json[],
  { from, to, path, before, at }: { from: string; to: string; path: string; before: string | null; at: number },
): SessionCopy | null {
  const header = rows.find(({ type }) => type === "session");
  const entries = rows.filter((row) => row !== header);
  const prompt = before === null ? null : entries.find((entry) => idOf(from, entry) === before);
  if (!header || prompt === undefined) return null;
  const copied = prompt === null ? entries : wayTo(asText(prompt.parentId), entries);
  const renamed = new Map(copied.flatMap((entry) => renamedOf(entry, from, to)));
  if (!copied.some((entry) => asObject(entry.message)?.role === "assistant")) return { rows: [], renamed: new Map() };
  const head = { ...header, id: to, timestamp: new Date(at).toISOString(), parentSession: path };
  return { rows: [head, ...copied], renamed };
}

/** A session is a tree, and pi goes on from the last row of its file. */
function wayTo(leaf: string | null, entries: readonly Json[]): Json[] {
  const byId = new Map(entries.map((entry) => [asText(entry.id), entry]));
  const way: Json[] = [];
  for (let entry = byId.get(leaf); entry && leaf !== null; entry = byId.get(asText(entry.parentId))) way.unshift(entry);
  return way;
}

function idOf(sessionId: string, { type, message }: Json): string | null {
  const said = type === "message" ? asObject(message) : null;
  return said && messageId(sessionId, said);
}

function renamedOf(entry: Json, from: string, to: string): [string, string][] {
  const [old, made] = [idOf(from, entry), idOf(to, entry)];
  return old === null || made === null ? [] : [[old, made]];
}

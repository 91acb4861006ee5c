/**
 * Reads a consistent pair of rows and status. They come from two requests that are sent together. If a turn begins or
 * ends between them, the session appears idle with an open row; then both are read again, one after the other.
 */
import type { Lane } from "../../../core/lane/lane.ts";
import type { OpencodeApi, StoredMessage } from "../client/api.ts";
import type { SessionRegistry } from "../client/session-registry.ts";

export type SessionRows = { rows: StoredMessage[]; status: "idle" | "busy" | "retry" };

/** Null if the server does not know the session. */
export async function readSessionRows(
  { api, registry }: { api: OpencodeApi; registry: SessionRegistry },
  lane: Lane,
  sessionId: string,
  limit: number | null,
  signal: AbortSignal,
): Promise<SessionRows | null> {
  const directory = await registry.directoryOf(lane, sessionId, signal);
  const readStatus = async () => (await api.statuses(directory, signal))[sessionId]?.type ?? "idle";
  const readRows = () => api.messages(sessionId, limit, signal);
  // Request the rows first, since they take the server longer.
  const [rows, status] = await Promise.all([readRows(), readStatus()]);
  if (rows === null) return null;
  if (status !== "idle" || !endsOpen(rows)) return { rows, status };
  const before = await readStatus();
  const reread = await readRows();
  if (reread === null) return null;
  const after = await readStatus();
  // If a row stays open in an idle session, its turn died.
  return { rows: reread, status: after === "idle" ? before : after };
}

/** Whether the newest row is a prompt, or an assistant row that is unfinished or will be followed by another. */
function endsOpen(rows: readonly StoredMessage[]): boolean {
  const newest = rows.at(-1)?.info;
  if (newest?.role !== "assistant") return newest?.role === "user";
  return newest.time.completed === undefined || newest.finish === "tool-calls";
}

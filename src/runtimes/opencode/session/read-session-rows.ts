/**
 * Reads rows and status of one moment. They come from separate requests, and a turn may begin or end between them: a
 * session is idle only if it was so before and after its rows were read, and no row was open in between.
 */
import type { Lane } from "../../../core/lane/lane.ts";
import type { OpencodeApi, StoredMessage } from "../server/opencode-api.ts";
import type { SessionRegistry } from "./session-registry.ts";

export type SessionRows = { rows: StoredMessage[]; status: "idle" | "busy" | "retry" };

/** Null when the server does not know the session. */
export async function readSessionRows(
  { api, registry }: { api: OpencodeApi; registry: SessionRegistry },
  lane: Lane,
  sessionId: string,
  limit: number | null,
  signal: AbortSignal,
): Promise<SessionRows | null> {
  const directory = await registry.directoryOf(lane, sessionId, signal);
  const statusNow = async () => (await api.statuses(directory, signal))[sessionId]?.type ?? "idle";
  for (let tries = 0; ; tries += 1) {
    const before = await statusNow();
    const rows = await api.messages(sessionId, limit, signal);
    if (rows === null) return null;
    const after = await statusNow();
    const status = after === "idle" ? before : after;
    // A very short turn may lie between the two. A row that stays open is left over from a turn that died.
    if (status !== "idle" || tries > 0 || !endsOpen(rows)) return { rows, status };
  }
}

/** Whether the newest row is a prompt, or an assistant's that has not ended. */
function endsOpen(rows: readonly StoredMessage[]): boolean {
  const newest = rows.at(-1)?.info;
  return newest?.role === "user" || (newest?.role === "assistant" && newest.time.completed === undefined);
}

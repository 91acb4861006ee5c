/**
 * Rows and status of one moment. They come from two requests, and a turn may begin or end between them: a session is at
 * rest only if it was so before and after its rows were read, and no row was still open in between.
 */
import type { MessageRow, OpencodeApi } from "../server/opencode-api.ts";

export type StoredRows = { rows: MessageRow[]; status: "idle" | "busy" | "retry" };

/** Null when the server does not know the session. */
export async function storedRows(
  api: OpencodeApi,
  { directory, sessionId, limit }: { directory: string; sessionId: string; limit: number | null },
  signal: AbortSignal,
): Promise<StoredRows | null> {
  const statusNow = async () => (await api.statuses(directory, signal))[sessionId]?.type ?? "idle";
  for (let tries = 0; ; tries += 1) {
    const before = await statusNow();
    const rows = await api.messages(sessionId, limit, signal);
    if (rows === null) return null;
    const after = await statusNow();
    const status = after === "idle" ? before : after;
    // A very short turn may lie wholly between the two; what stays open is left over from one that died.
    if (status !== "idle" || tries > 0 || !endsOpen(rows)) return { rows, status };
  }
}

/** Whether the newest row is a prompt, or an assistant's that has not ended. */
function endsOpen(rows: readonly MessageRow[]): boolean {
  const newest = rows.at(-1)?.info;
  return newest?.role === "user" || (newest?.role === "assistant" && newest.time.completed === undefined);
}

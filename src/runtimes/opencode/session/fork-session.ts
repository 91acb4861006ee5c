/**
 * A second session of OpenCode with what another one has. The server copies the rows and names them anew, in their
 * order; the rules of the first session are not among what it copies, and every prompt brings them.
 */
import { AppError } from "../../../app-error.ts";
import type { OpencodeApi, Session } from "../server/opencode-api.ts";
import { OpencodeError } from "../server/opencode-api.ts";

export async function forkSession(
  api: OpencodeApi,
  { sessionId, directory, before }: { sessionId: string; directory: string; before: string | null },
  signal: AbortSignal,
): Promise<{ session: Session; renamed: Map<string, string> }> {
  const rows = await api.messages(sessionId, null, signal);
  const place = before === null ? rows?.length : rows?.findIndex(({ info }) => info.id === before);
  // The server would copy everything.
  if (!rows || place === undefined || place < 0) throw promptUnknown(sessionId);
  const session = await api.forkSession(sessionId, directory, before, signal);
  const copies = (await api.messages(session.id, null, signal)) ?? [];
  if (copies.length !== place) {
    throw new OpencodeError(200, `${copies.length} messages of ${place} are in the session that was forked`);
  }
  const renamed = rows.slice(0, place).map(({ info }, index) => [info.id, copies[index]?.info.id ?? info.id] as const);
  return { session, renamed: new Map(renamed) };
}

function promptUnknown(sessionId: string): AppError {
  return new AppError({
    code: "message_unknown",
    message: `The session "${sessionId}" of OpenCode does not have that message.`,
    hint: "Name a later message, or none.",
  });
}

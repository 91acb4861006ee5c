/**
 * Forks a session. The server copies the rows in order, with new ids. It does not copy the session's permission rules,
 * but those are updated before every prompt.
 */
import { AppError } from "../../../platform/app-error.ts";
import type { OpencodeApi, Session } from "../server/opencode-api.ts";
import { OpencodeError } from "../server/opencode-api.ts";

export async function forkSession(
  api: OpencodeApi,
  { sessionId, directory, before }: { sessionId: string; directory: string; before: string | null },
  signal: AbortSignal,
): Promise<{ session: Session; renamed: Map<string, string> }> {
  const rows = await api.messages(sessionId, null, signal);
  const count = before === null ? rows?.length : rows?.findIndex(({ info }) => info.id === before);
  // If it does not find the message, the server would copy everything.
  if (!rows || count === undefined || count < 0) {
    throw new AppError({
      code: "message_unknown",
      message: `OpenCode's session "${sessionId}" does not contain that message.`,
      hint: "Fork at a later message, or name none to fork the whole session.",
    });
  }
  const session = await api.forkSession(sessionId, directory, before, signal);
  const copies = (await api.messages(session.id, null, signal)) ?? [];
  if (copies.length !== count) {
    throw new OpencodeError(200, `the forked session has ${copies.length} of ${count} messages`);
  }
  const renamed = rows.slice(0, count).map(({ info }, index) => [info.id, copies[index]?.info.id ?? info.id] as const);
  return { session, renamed: new Map(renamed) };
}

/** Continues sessions that a lane did not open: adopted ones, and copies. */

import type { Lane } from "../../../core/lane/lane.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { OpencodeApi, Session } from "../client/api.ts";
import { OpencodeError } from "../client/api.ts";
import { resolveLinks } from "../client/session-registry.ts";

export async function checkAdoption(
  lane: Lane,
  sessionId: string,
  api: OpencodeApi,
  signal: AbortSignal,
): Promise<void> {
  // The server rejects an id with another prefix as malformed.
  const session = sessionId.startsWith("ses") ? await api.session(sessionId, signal) : null;
  if (!session) {
    throw new AppError({
      code: "session_unknown",
      message: `OpenCode has no session "${sessionId}".`,
      hint: "Run `opencode session list` in the lane's directory to see its sessions.",
    });
  }
  if (session.parentID !== undefined) {
    throw new AppError({
      code: "session_is_subtask",
      message: `Session "${sessionId}" is a subtask of session "${session.parentID}".`,
      hint: "Name a session that is not a subtask.",
    });
  }
  if ((await resolveLinks(session.directory)) !== (await resolveLinks(lane.directory))) {
    throw new AppError({
      code: "session_other_directory",
      message: `Session "${sessionId}" works in ${session.directory}, but lane "${lane.id}" in ${lane.directory}.`,
      hint: "Name a session in the lane's directory, or a lane in the session's directory.",
    });
  }
}

/**
 * Forks a session. The server copies the rows in order, with new ids. It does not copy the session's permission rules,
 * but those are updated before every prompt.
 */
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

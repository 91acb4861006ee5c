/** Whether a lane may go on in a session of OpenCode that somebody else began. */
import { realpath } from "node:fs/promises";
import { AppError } from "../../../app-error.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { OpencodeApi } from "../server/opencode-api.ts";

export async function checkAdoption(
  lane: Lane,
  sessionId: string,
  api: OpencodeApi,
  signal: AbortSignal,
): Promise<void> {
  // The server takes no id that begins otherwise for one.
  const session = sessionId.startsWith("ses") ? await api.session(sessionId, signal) : null;
  if (!session) throw unknown(sessionId);
  if (session.parentID !== undefined) throw isSubtask(sessionId, session.parentID);
  const [theirs, ours] = await Promise.all([whereIs(session.directory), whereIs(lane.directory)]);
  if (theirs !== ours) throw elsewhere(lane, sessionId, session.directory);
}

/** A server on another machine knows directories that are not here. */
async function whereIs(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
}

function unknown(sessionId: string): AppError {
  return new AppError({
    code: "session_unknown",
    message: `OpenCode has no session "${sessionId}".`,
    hint: "`opencode session list`, run in the lane's directory, shows those that are there.",
  });
}

function isSubtask(sessionId: string, parentId: string): AppError {
  return new AppError({
    code: "session_is_subtask",
    message: `Session "${sessionId}" is a subtask of session "${parentId}".`,
    hint: "Name a session that stands by itself.",
  });
}

function elsewhere(lane: Lane, sessionId: string, directory: string): AppError {
  return new AppError({
    code: "session_other_directory",
    message: `Session "${sessionId}" works in ${directory}, and lane "${lane.id}" in ${lane.directory}.`,
    hint: "Name a session of the lane's directory, or a lane of the session's.",
  });
}

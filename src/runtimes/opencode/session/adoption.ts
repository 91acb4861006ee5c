/** Checks whether a lane may continue an OpenCode session that it did not open. */

import type { Lane } from "../../../core/lane/lane.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { OpencodeApi } from "../server/opencode-api.ts";
import { resolveLinks } from "./session-registry.ts";

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

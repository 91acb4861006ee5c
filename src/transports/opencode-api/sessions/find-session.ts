/** The session that a request names. */
import { AppError } from "../../../platform/app-error.ts";
import type { LaneState, Service } from "../../../service/service.ts";
import { laneOf } from "../ids.ts";
import { notServed } from "../refused-routes.ts";

/** A child session, such as a subagent's, is read-only. */
export type FoundSession = { sessionID: string; state: LaneState; child: boolean };

export async function findSession(service: Service, sessionID: string): Promise<FoundSession> {
  const found = laneOf(sessionID);
  if (!found) throw sessionUnknown(sessionID);
  try {
    return { sessionID, child: found.child, state: await service.lane(found.lane) };
  } catch (error) {
    throw error instanceof AppError && error.code === "lane_unknown" ? sessionUnknown(sessionID) : error;
  }
}

export async function findOwnSession(service: Service, sessionID: string): Promise<LaneState> {
  const { child, state } = await findSession(service, sessionID);
  if (!child) return state;
  throw notServed(`${sessionID} is a subagent's session, which is read-only.`, "Use its parent session.");
}

export function sessionUnknown(sessionID: string): AppError {
  return new AppError({ code: "session_unknown", message: `Session not found: ${sessionID}` });
}

export function messageUnknown(messageID: string): AppError {
  return new AppError({ code: "message_unknown", message: `Message not found: ${messageID}` });
}

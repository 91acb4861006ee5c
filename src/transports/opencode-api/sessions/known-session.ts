/** The session that a request names. */
import { AppError } from "../../../app-error.ts";
import type { LaneState, Service } from "../../../service/service.ts";
import { laneOf } from "../ids.ts";

export type KnownSession = {
  sessionID: string;
  state: LaneState;
  /** A session below the lane's own, as of a subagent: it can be read, and is not ours to change. */
  child: boolean;
};

export async function knownSession(service: Service, sessionID: string): Promise<KnownSession> {
  const found = laneOf(sessionID);
  if (!found) throw sessionUnknown(sessionID);
  try {
    return { sessionID, child: found.child, state: await service.lane(found.lane) };
  } catch (error) {
    throw error instanceof AppError && error.code === "lane_unknown" ? sessionUnknown(sessionID) : error;
  }
}

/** For everything that a session below has no say in. */
export async function ownSession(service: Service, sessionID: string): Promise<LaneState> {
  const { child, state } = await knownSession(service, sessionID);
  if (!child) return state;
  throw new AppError({
    code: "not_served",
    message: `${sessionID} is the session of a subagent, which can only be read.`,
    hint: "Address the session that it belongs to.",
  });
}

export function sessionUnknown(sessionID: string): AppError {
  return new AppError({ code: "session_unknown", message: `Session not found: ${sessionID}` });
}

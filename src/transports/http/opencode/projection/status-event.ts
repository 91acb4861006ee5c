import type { Emitted } from "./emitted.ts";

export function statusEvent(sessionID: string, type: "busy" | "idle"): Emitted {
  return { type: "session.status", properties: { sessionID, status: { type } } };
}

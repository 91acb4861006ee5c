/** Whether a session works, rests, or tries its model again, as OpenCode says it. Pure. */
import type { SessionStatus } from "@opencode-ai/sdk/v2/types";
import type { Item } from "../../../core/turn/item.ts";
import type { Emitted } from "./emitted.ts";
import { isRecord } from "./json-record.ts";

export function statusEvent(sessionID: string, status: SessionStatus): Emitted {
  return { type: "session.status", properties: { sessionID, status } };
}

export function idleEvents(sessionID: string): Emitted[] {
  return [statusEvent(sessionID, { type: "idle" }), { type: "session.idle", properties: { sessionID } }];
}

/** What programs say when they try again. Those that do not say when, do it at once. */
export function retryOf({ name, parts: [part] }: Item, at: number): SessionStatus | null {
  if (name !== "retry") return null;
  const value = part?.type === "json" && isRecord(part.value) ? part.value : {};
  const { attempt, message, error, retry_delay_ms: delay } = value;
  const words = [message, error].find((one) => typeof one === "string") ?? "The model is asked again.";
  return {
    type: "retry",
    attempt: typeof attempt === "number" ? attempt : 1,
    message: String(words),
    next: at + (typeof delay === "number" ? delay : 0),
  };
}

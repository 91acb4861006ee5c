/** Whether a session is busy, idle, or retrying its model, as OpenCode publishes it. */
import type { SessionStatus } from "@opencode-ai/sdk/v2/types";
import type { Item } from "../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { isRecord } from "./json-record.ts";
import type { NativeEvent } from "./native-event.ts";

export function statusEvent(sessionID: string, status: SessionStatus): NativeEvent {
  return { type: "session.status", properties: { sessionID, status } };
}

export function idleEvents(sessionID: string): NativeEvent[] {
  return [statusEvent(sessionID, { type: "idle" }), { type: "session.idle", properties: { sessionID } }];
}

/** Programs that do not report when they retry do it immediately. */
export function retryOf({ name, parts: [part] }: Item, at: number): SessionStatus | null {
  if (name !== "retry") return null;
  const value = part?.type === "json" && isRecord(part.value) ? part.value : {};
  const { attempt, message, error, retry_delay_ms: delay } = value;
  const text = [message, error].find((one) => typeof one === "string") ?? "Retrying the model.";
  return {
    type: "retry",
    attempt: typeof attempt === "number" ? attempt : 1,
    message: String(text),
    next: at + (typeof delay === "number" ? delay : 0),
  };
}

/** The status of the lane's own session. Every change is published, and only once. */
export class PublishedStatus {
  readonly #sessionID: string;
  #now: SessionStatus = { type: "idle" };

  constructor(sessionID: string) {
    this.#sessionID = sessionID;
  }

  get now(): SessionStatus {
    return this.#now;
  }

  get isBusy(): boolean {
    return this.#now.type !== "idle";
  }

  busy(): NativeEvent[] {
    return this.isBusy ? [] : this.change({ type: "busy" });
  }

  /** Becomes busy, even after waiting for a retry. */
  work(): NativeEvent[] {
    return this.#now.type === "busy" ? [] : this.change({ type: "busy" });
  }

  idle(): NativeEvent[] {
    if (!this.isBusy) return [];
    this.#now = { type: "idle" };
    return idleEvents(this.#sessionID);
  }

  change(status: SessionStatus): NativeEvent[] {
    this.#now = status;
    return [statusEvent(this.#sessionID, status)];
  }

  /** Any work of the agent shows that the retry succeeded. */
  endRetry({ type, data }: UniversalEvent): NativeEvent[] {
    const isWork =
      type === "item.delta" || ((type === "item.started" || type === "item.completed") && data.item.kind !== "status");
    return this.#now.type === "retry" && isWork ? this.work() : [];
  }
}

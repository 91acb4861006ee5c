/** Whether a session is busy, idle, or retrying its model, and with which error a turn failed, as OpenCode publishes it. */
import type { SessionStatus } from "@opencode-ai/sdk/v2/types";
import type { Item } from "../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { StepError } from "./assistant-step.ts";
import type { NativeEvent, UniversalEventOf } from "./session-view.ts";
import { isRecord } from "./tool-shapes.ts";

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

type Ended = UniversalEventOf<"turn.ended">["data"];

/**
 * The error that a failed turn leaves in its last message. A refusal ends a turn without an error. `known` is the error that the
 * agent reported in the turn.
 */
export function errorOfEnd({ reason, error }: Ended, refused: boolean, known: StepError | null): StepError | null {
  switch (reason) {
    case "completed":
      return null;
    case "error":
      return known ?? unknownError(error ?? "The turn failed.");
    case "aborted":
      return refused ? null : abortedError;
    case "interrupted":
      return unknownError("The agent program ended mid-turn.");
    default:
      return reason satisfies never;
  }
}

/** With a status it is the provider's error; clients use it to decide whether to offer a retry. */
export function errorFrom(message: string, status: number | undefined): StepError {
  if (status === undefined) return unknownError(message);
  const isRetryable = status === 408 || status === 409 || status === 429 || status >= 500;
  return { name: "APIError", data: { message, statusCode: status, isRetryable } };
}

/** Exactly as in OpenCode: clients look for this text. */
export const abortedError: StepError = { name: "MessageAbortedError", data: { message: "Aborted" } };

/** A retry helps neither after an abort nor with an invalid request. */
export function mayBeMended({ name, data }: StepError): boolean {
  if (name === "APIError") return (data as { isRetryable: boolean }).isRetryable;
  return name !== "MessageAbortedError";
}

export function unknownError(message: string): StepError {
  return { name: "UnknownError", data: { message } };
}

/**
 * A lane as OpenCode's clients see it: a session that lasts for as long as the lane does, its messages and events, and
 * whether it is busy, idle, retrying its model, or failed. Pure.
 */
import type { AssistantMessage, Message, Part, Session, SessionStatus, SessionV2Info } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../core/lane/lane.ts";
import type { Item } from "../../../core/turn/item.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { sessionOf } from "../ids.ts";
import { defaultAgent, defaultModel } from "../workspace/catalog.ts";
import { isRecord } from "./tool-shapes.ts";

/** `updatedAt` is the time of its last event. `version` is Waybill's: clients only display it. */
type SessionFacts = { projectID: string; updatedAt?: number | undefined; version: string };

export function sessionView(lane: Lane, { projectID, updatedAt, version }: SessionFacts): Session {
  const { directory, agent, modelID, providerID } = sessionSettings(lane);
  return {
    id: sessionOf(lane.id),
    slug: lane.id,
    projectID,
    directory,
    title: lane.displayName ?? lane.id,
    agent,
    model: { id: modelID, providerID },
    version,
    time: { created: lane.createdAt, updated: Math.max(lane.createdAt, updatedAt ?? 0) },
  };
}

/** The same in the newer API's format. Tokens and cost are not counted here. */
export function sessionV2({ id, projectID, directory, title, agent, model, time }: Session): SessionV2Info {
  return {
    id,
    projectID,
    ...(agent === undefined ? {} : { agent }),
    ...(model === undefined ? {} : { model }),
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
    time,
    title,
    location: { directory },
  };
}

/** A child session, such as a subagent's. */
export function childView(parent: Session, id: string, updated: number): Session {
  return {
    ...parent,
    id,
    slug: id.slice("ses_".length),
    parentID: parent.id,
    title: `Subagent of ${parent.title}`,
    time: { created: updated, updated },
  };
}

export function sessionSettings({ id, directory, runtime, agent, model }: Lane): SessionSettings {
  return {
    lane: id,
    directory,
    providerID: runtime,
    modelID: model ?? defaultModel,
    agent: agent ?? defaultAgent,
  };
}

/** An event as the projection produces it. Has no id: the id depends on its position in a stream. */
export type NativeEvent = { type: string; properties: Record<string, unknown> };

export type SessionMessage = { info: Message; parts: Part[] };

/** The error of an agent's message. */
export type StepError = NonNullable<AssistantMessage["error"]>;

/** The fields that every message of a session carries. */
export type SessionSettings = {
  lane: string;
  directory: string;
  providerID: string;
  modelID: string;
  agent: string;
};

export type UniversalEventOf<T extends UniversalEvent["type"]> = Extract<UniversalEvent, { type: T }>;

export type ItemEvent = UniversalEventOf<"item.started" | "item.completed">;

export function messageUpdated(info: Message): NativeEvent {
  return { type: "message.updated", properties: { sessionID: info.sessionID, info } };
}

export function partUpdated(part: Part, time: number): NativeEvent {
  return { type: "message.part.updated", properties: { sessionID: part.sessionID, part, time } };
}

/** The order in which clients show messages. */
export function byTime({ info: one }: SessionMessage, { info: other }: SessionMessage): number {
  return one.time.created - other.time.created || (one.id < other.id ? -1 : 1);
}

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

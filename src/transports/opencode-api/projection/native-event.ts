/** OpenCode's events and messages as the projection makes them. */
import type { Message, Part } from "@opencode-ai/sdk/v2/types";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";

/** Without an id: that depends on where it stands in a stream. */
export type NativeEvent = { type: string; properties: Record<string, unknown> };

export type SessionMessage = { info: Message; parts: Part[] };

/** What every message of a session carries. */
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

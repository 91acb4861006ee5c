/** OpenCode's events and messages as the projection produces them. */
import type { Message, Part } from "@opencode-ai/sdk/v2/types";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";

/** Has no id: the id depends on its position in a stream. */
export type NativeEvent = { type: string; properties: Record<string, unknown> };

export type SessionMessage = { info: Message; parts: Part[] };

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

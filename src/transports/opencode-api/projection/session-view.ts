/**
 * A lane as OpenCode's clients see it: a session that lasts for as long as the lane does, and its messages and events.
 * Pure.
 */
import type { Message, Part, Session, SessionV2Info } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../core/lane/lane.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { sessionOf } from "../ids.ts";
import { defaultAgent, defaultModel } from "../workspace/catalog.ts";

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

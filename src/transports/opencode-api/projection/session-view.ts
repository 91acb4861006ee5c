/** A lane as OpenCode's clients see it: a session that lasts for as long as the lane does. Pure. */
import type { Session, SessionV2Info } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../core/lane/lane.ts";
import { sessionOf } from "../ids.ts";
import { defaultAgent, defaultModel } from "../workspace/catalog.ts";
import type { SessionSettings } from "./native-event.ts";

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

/** A lane as OpenCode's clients see it: a session that lasts for as long as the lane does. Pure. */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../core/lane/lane.ts";
import { sessionOf } from "../ids.ts";
import type { Place } from "../projection/session-projection.ts";
import { defaultAgent, defaultModel } from "../workspace/catalog.ts";

/** What a lane does not say itself. */
export type SessionFacts = {
  /** Of its directory, as GET /project/current says it. */
  projectID: string;
  /** When something last happened in it; without one, when it was made. */
  updatedAt?: number | undefined;
  /** Waybill's: clients show it and compare it with nothing. */
  version: string;
};

export function sessionView(lane: Lane, { projectID, updatedAt, version }: SessionFacts): Session {
  const { modelID, ...place } = placeOf(lane);
  return {
    id: sessionOf(lane.id),
    slug: lane.id,
    projectID,
    directory: place.directory,
    title: lane.displayName ?? lane.id,
    agent: place.agent,
    model: { id: modelID, providerID: place.providerID },
    version,
    time: { created: lane.createdAt, updated: Math.max(lane.createdAt, updatedAt ?? 0) },
  };
}

/** A session below, as of a subagent. */
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

/** Where a lane's messages stand. */
export function placeOf({ id, directory, runtime, agent, model }: Lane): Place {
  return {
    lane: id,
    directory,
    providerID: runtime,
    modelID: model ?? defaultModel,
    agent: agent ?? defaultAgent,
  };
}

/**
 * What agents wait for, as OpenCode lists it. Which asks are open is the service's word; what they are about is in the
 * lane's events, and is told as it was told live.
 */
import type { PermissionRequest, QuestionRequest } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../../core/lane/lane.ts";
import type { OpenAsk, Service } from "../../../../service/service.ts";
import { askIdFor, sessionOf } from "../../ids.ts";
import { foldEvents } from "../history/fold-events.ts";
import { stretchesBack } from "../history/read-backwards.ts";
import { placeOf } from "../session-view.ts";

export type Pending = { permissions: PermissionRequest[]; questions: QuestionRequest[] };

/** An ask stands in the turn that runs, or in one shortly before it. */
const farthestStretches = 3;

export async function pendingAsks(service: Service, isWanted: (directory: string) => boolean): Promise<Pending> {
  const open = await service.asks();
  const pending: Pending = { permissions: [], questions: [] };
  for (const { lane } of await service.lanes()) {
    const asks = open.filter((ask) => ask.laneId === lane.id);
    if (asks.length === 0 || !isWanted(lane.directory)) continue;
    const told = await toldOf(service, lane, asks);
    for (const ask of asks) {
      if (ask.kind === "permission")
        pending.permissions.push((told.get(ask.id) ?? barePermission(ask)) as PermissionRequest);
      else pending.questions.push((told.get(ask.id) ?? bareQuestion(ask)) as QuestionRequest);
    }
  }
  return pending;
}

async function toldOf(service: Service, lane: Lane, asks: readonly OpenAsk[]): Promise<Map<string, unknown>> {
  const place = placeOf(lane);
  const wanted = new Map(asks.map((ask) => [askIdFor(ask.kind, ask.id), ask.id]));
  const found = new Map<string, unknown>();
  let stretches = 0;
  for await (const { events } of stretchesBack((seq, limit) => service.eventsBefore(lane.id, seq, limit), null)) {
    for (const { type, properties } of foldEvents(events, place).emitted) {
      const ask = type.endsWith(".asked") ? wanted.get(String(properties.id)) : undefined;
      if (ask !== undefined) found.set(ask, properties);
    }
    if (found.size === wanted.size || ++stretches === farthestStretches) break;
  }
  return found;
}

/** For one whose event was not kept. */
function barePermission({ id, laneId, title }: OpenAsk): PermissionRequest {
  const requestID = askIdFor("permission", id);
  return { id: requestID, sessionID: sessionOf(laneId), permission: title, patterns: [], metadata: {}, always: [] };
}

function bareQuestion({ id, laneId, title }: OpenAsk): QuestionRequest {
  const questions = [{ question: title, header: "", options: [] }];
  return { id: askIdFor("question", id), sessionID: sessionOf(laneId), questions };
}

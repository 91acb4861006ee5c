/**
 * Open asks in OpenCode's list format. The service knows which asks are open; the lane's events have their details, as
 * published live.
 */
import type { PermissionRequest, QuestionRequest } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../../core/lane/lane.ts";
import type { OpenAsk, Service } from "../../../../service/service.ts";
import { askIdFor, sessionOf } from "../../ids.ts";
import { sessionSettings } from "../../projection/session-view.ts";
import { foldEvents } from "../history/fold-events.ts";
import { readerOf, readSpans } from "../history/read-backwards.ts";

type ListedAsks = { permissions: PermissionRequest[]; questions: QuestionRequest[] };

/** An ask is in the running turn, or in one shortly before it. */
const maxSpans = 3;

export async function listAsks(service: Service, isInDirectory: (directory: string) => boolean): Promise<ListedAsks> {
  const open = await service.asks();
  const listed: ListedAsks = { permissions: [], questions: [] };
  for (const { lane } of await service.lanes()) {
    const asks = open.filter((ask) => ask.laneId === lane.id);
    if (asks.length === 0 || !isInDirectory(lane.directory)) continue;
    const published = await publishedAsks(service, lane, asks);
    for (const ask of asks) {
      const request = published.get(ask.id) ?? requestWithoutEvent(ask);
      if (ask.kind === "permission") listed.permissions.push(request as PermissionRequest);
      else listed.questions.push(request as QuestionRequest);
    }
  }
  return listed;
}

async function publishedAsks(service: Service, lane: Lane, asks: readonly OpenAsk[]): Promise<Map<string, unknown>> {
  const settings = sessionSettings(lane);
  const wanted = new Map(asks.map((ask) => [askIdFor(ask.kind, ask.id), ask.id]));
  const found = new Map<string, unknown>();
  let spans = 0;
  for await (const { events } of readSpans(readerOf(service, lane.id), null)) {
    const { published } = await foldEvents(events, settings);
    for (const { type, properties } of published) {
      const ask = type.endsWith(".asked") ? wanted.get(String(properties.id)) : undefined;
      if (ask !== undefined) found.set(ask, properties);
    }
    if (found.size === wanted.size || ++spans === maxSpans) break;
  }
  return found;
}

/** For an ask whose event is no longer kept. */
function requestWithoutEvent({ kind, id: ask, laneId, title }: OpenAsk): PermissionRequest | QuestionRequest {
  const ids = { id: askIdFor(kind, ask), sessionID: sessionOf(laneId) };
  if (kind === "permission") return { ...ids, permission: title, patterns: [], metadata: {}, always: [] };
  return { ...ids, questions: [{ question: title, header: "", options: [] }] };
}

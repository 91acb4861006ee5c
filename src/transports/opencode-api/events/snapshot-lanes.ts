/**
 * The current state of lanes: from the hub, or from the kept events for lanes without an event since the hub started. A
 * lane that has been idle for long costs one read of its newest event.
 */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../core/lane/lane.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { universalEventTypes } from "../../../core/turn/universal-event.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { LaneState, Service } from "../../../service/service.ts";
import { sessionOf } from "../ids.ts";
import type { SessionSnapshot } from "../projection/session-projection.ts";
import { childView } from "../projection/session-view.ts";
import type { EventTranslator, TranslatorDeps } from "./event-translator.ts";
import type { LaneRegistry } from "./lane-registry.ts";
import type { SnapshotEvent } from "./make-frames.ts";
import type { LaneActivity } from "./snapshot.ts";
import { maxSnapshotLanes, selectLanes, snapshotEvents } from "./snapshot.ts";

type SnapshotDeps = Pick<TranslatorDeps, "sessionInfo"> & {
  service: Pick<Service, "lanes" | "asks" | "log" | "eventsBefore">;
  clock: Clock;
};

type SnapshotLane = { lane: Lane; info: Session };

/** A session that is not idle. */
export type BusySession = Pick<SessionSnapshot, "sessionID" | "status"> & { directory: string };

type LastEvents = Pick<LaneRegistry, "lastEventAt" | "setLastEventAt">;

export async function lanesToSnapshot(deps: SnapshotDeps, lastEvents: LastEvents): Promise<SnapshotLane[]> {
  const states = await currentLanes(deps, lastEvents, maxSnapshotLanes);
  return Promise.all(
    states.map(async ({ lane }) => ({
      lane,
      info: await deps.sessionInfo(lane, lastEvents.lastEventAt(lane.id) ?? 0),
    })),
  );
}

/** The lanes that are busy or changed recently. Adds missing entries to `lastEvents`. */
export async function currentLanes(
  { service, clock }: SnapshotDeps,
  lastEvents: LastEvents,
  max = Number.POSITIVE_INFINITY,
): Promise<LaneState[]> {
  const [states, asks] = await Promise.all([service.lanes(), service.asks()]);
  const asking = new Set(asks.map(({ laneId }) => laneId));
  const activities: LaneActivity[] = [];
  for (const { lane, holder, waiting } of states) {
    const lastAt = lastEvents.lastEventAt(lane.id) ?? (await service.eventsBefore(lane.id, null, 1))[0]?.time ?? 0;
    // A newer event may have arrived during the read.
    if (lastEvents.lastEventAt(lane.id) === null) lastEvents.setLastEventAt(lane.id, lastAt);
    const isAtWork = holder !== null || waiting > 0 || asking.has(lane.id);
    activities.push({ lane: lane.id, isAtWork, changedAt: Math.max(lastAt, lane.createdAt) });
  }
  const byId = new Map(states.map((state) => [state.lane.id, state]));
  return selectLanes(activities, clock.now(), max).flatMap((id) => byId.get(id) ?? []);
}

/** Restores unknown lanes up to the event `after`. No event may be processed during that. */
export async function restoreLanes(
  { service }: SnapshotDeps,
  translator: EventTranslator,
  lanes: readonly Pick<SnapshotLane, "lane">[],
  after: string,
): Promise<void> {
  for (const { lane } of lanes) {
    const [newest] = await service.eventsBefore(lane.id, null, 1);
    if (!newest) continue;
    // The store may be ahead of what was published, so this is read after the newest event.
    const { items } = await service.log({ after, lane: lane.id, types: universalEventTypes, limit: 1 });
    const [next] = items.flatMap((item) => (item.type === "event" ? [item.event.seq] : []));
    await translator.restore(lane.id, { seq: next ?? newest.seq + 1, time: null });
  }
}

/** Enough to include the notes after the end of a turn. */
const newestFew = 10;

/**
 * Lanes that must be restored to find out whether they are busy. The others are idle, by the ledger and by their newest
 * events. There may be a lane for every prompt, and nothing is published while their past is read.
 */
export async function lanesThatMayWork(
  { service }: SnapshotDeps,
  translator: EventTranslator,
  states: readonly LaneState[],
): Promise<LaneState[]> {
  const found: LaneState[] = [];
  for (const state of states) {
    const { lane, holder, waiting } = state;
    if (translator.has(lane.id)) continue;
    const isAtWork = holder !== null || waiting > 0;
    if (isAtWork || !isAtRest(await service.eventsBefore(lane.id, null, newestFew))) found.push(state);
  }
  return found;
}

/** Decided by a lane's newest events, newest first. */
function isAtRest(events: readonly UniversalEvent[]): boolean {
  const newest = events.find(({ type }) => type === "turn.started" || type === "turn.ended");
  return newest?.type === "turn.ended" && newest.data.queued === 0;
}

/** As last published. A message that was admitted a moment ago may not have been published yet. */
export function busySessionsOf(translator: EventTranslator, { lane, waiting }: LaneState): BusySession[] {
  const { directory } = lane;
  const own = sessionOf(lane.id);
  const busy: BusySession[] = translator
    .sessions(lane.id)
    .flatMap(({ sessionID, status }) => (status.type === "idle" ? [] : [{ sessionID, status, directory }]));
  if (waiting === 0 || busy.some(({ sessionID }) => sessionID === own)) return busy;
  return [{ sessionID: own, status: { type: "busy" }, directory }, ...busy];
}

/** Synchronous, so that the snapshot is consistent. */
export function snapshotOf(translator: EventTranslator, lanes: readonly SnapshotLane[], at: number): SnapshotEvent[] {
  return lanes.flatMap(({ lane, info }) => {
    const own = sessionOf(lane.id);
    const known = translator.sessions(lane.id).flatMap((session) => {
      const { sessionID } = session;
      return snapshotEvents(session, sessionID === own ? info : childView(info, sessionID, info.time.updated), at);
    });
    const unknown = { type: "session.updated", properties: { sessionID: own, info } };
    return (known.length > 0 ? known : [unknown]).map((event) => ({ directory: lane.directory, event }));
  });
}

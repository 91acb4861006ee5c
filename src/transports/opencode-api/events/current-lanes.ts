/**
 * The lanes that clients know and their current state: from the hub, or from the kept events for lanes without an event
 * since the hub started. A lane that has been idle for long costs one read of its newest event.
 *
 * A client that missed earlier events gets a snapshot: OpenCode's terminal reconnects without a cursor, and reloads
 * nothing. Every event of it replaces what a client has, so repeating known state does no harm.
 */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../core/lane/lane.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { universalEventTypes } from "../../../core/turn/universal-event.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { LaneState, Service } from "../../../service/service.ts";
import { sessionOf } from "../ids.ts";
import type { SessionSnapshot } from "../projection/session-projection.ts";
import type { NativeEvent } from "../projection/session-view.ts";
import { childView, messageUpdated, partUpdated, statusEvent } from "../projection/session-view.ts";
import type { EventTranslator, TranslatorDeps } from "./event-translator.ts";
import type { PreviousLane, SnapshotEvent } from "./frames.ts";

const maxRemoved = 1000;

/** The lanes that clients know, the time of each lane's last event, and recently removed lanes. */
export class LaneRegistry {
  readonly #lanes: Map<string, Lane>;
  readonly #removed = new Map<string, Lane>();
  readonly #lastEventAt = new Map<string, number>();

  constructor(lanes: readonly Lane[]) {
    this.#lanes = new Map(lanes.map((lane) => [lane.id, lane]));
  }

  /** Null if unknown. */
  lastEventAt(laneId: string): number | null {
    return this.#lastEventAt.get(laneId) ?? null;
  }

  /** Ignores an unknown lane, whose entry would never be forgotten. */
  setLastEventAt(laneId: string, at: number): void {
    if (this.#lanes.has(laneId)) this.#lastEventAt.set(laneId, at);
  }

  get directories(): string[] {
    return [...this.#lanes.values()].map(({ directory }) => directory);
  }

  previous(laneId: string): PreviousLane {
    const lane = this.#lanes.get(laneId);
    return { lane: lane ?? this.#removed.get(laneId) ?? null, isKnown: lane !== undefined };
  }

  update(laneId: string, lane: Lane | null): void {
    const known = this.#lanes.get(laneId);
    if (lane) {
      this.#lanes.set(laneId, lane);
      this.#removed.delete(laneId);
    } else if (known) {
      this.#lanes.delete(laneId);
      this.#lastEventAt.delete(laneId);
      this.#removed.set(laneId, known);
    }
    const [oldest] = this.#removed.keys();
    if (oldest !== undefined && this.#removed.size > maxRemoved) this.#removed.delete(oldest);
  }
}

type SnapshotDeps = Pick<TranslatorDeps, "sessionInfo"> & {
  service: Pick<Service, "lanes" | "asks" | "log" | "eventsBefore">;
  clock: Clock;
};

type SnapshotLane = { lane: Lane; info: Session };

/** A session that is not idle. */
export type BusySession = Pick<SessionSnapshot, "sessionID" | "status"> & { directory: string };

export async function lanesToSnapshot(deps: SnapshotDeps, lastEvents: LaneRegistry): Promise<SnapshotLane[]> {
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
  lastEvents: LaneRegistry,
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

type LaneActivity = { lane: string; isAtWork: boolean; changedAt: number };

const recentMs = 10 * 60_000;
const maxSnapshotLanes = 50;
/** The limit for one session; a turn seldom has more. */
const maxMessages = 100;

/** The lanes that are busy or changed recently; if there are too many, busy lanes first, then the newest. */
export function selectLanes(activities: readonly LaneActivity[], now: number, max = maxSnapshotLanes): string[] {
  return activities
    .filter(({ isAtWork, changedAt }) => isAtWork || now - changedAt <= recentMs)
    .toSorted((one, other) => Number(other.isAtWork) - Number(one.isAtWork) || other.changedAt - one.changedAt)
    .slice(0, max)
    .map(({ lane }) => lane);
}

/** Calls come before their asks: clients show an ask with its call. */
export function snapshotEvents(snapshot: SessionSnapshot, info: Session, at: number): NativeEvent[] {
  const { sessionID, status, diff, todos, asks } = snapshot;
  const messages = snapshot.messages
    .slice(-maxMessages)
    .flatMap(({ info, parts }) => [messageUpdated(info), ...parts.map((part) => partUpdated(part, at))]);
  return [
    { type: "session.updated", properties: { sessionID, info } },
    ...messages,
    ...(diff.length === 0 ? [] : [{ type: "session.diff", properties: { sessionID, diff } }]),
    ...(todos.length === 0 ? [] : [{ type: "todo.updated", properties: { sessionID, todos } }]),
    ...asks,
    statusEvent(sessionID, status),
  ];
}

/**
 * How lanes stand at one moment, from what the hub knows of them and, of those it has not heard of, from what is kept.
 * A lane that has rested for long costs a look at its newest event, once.
 */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Clock } from "../../../clock.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { LaneState, Service } from "../../../service/service.ts";
import { sessionOf } from "../ids.ts";
import type { SessionState } from "../projection/session-projection.ts";
import { childView } from "../sessions/session-view.ts";
import type { Present } from "./frames-of.ts";
import type { KnownLanes } from "./known-lanes.ts";
import type { Bearing } from "./snapshot.ts";
import { lanesToTell, maxToTell, presentState } from "./snapshot.ts";
import type { Translator, TranslatorDeps } from "./translator.ts";

export type PresentDeps = Pick<TranslatorDeps, "sessionInfo"> & {
  service: Pick<Service, "lanes" | "asks" | "events" | "eventsBefore">;
  clock: Clock;
};

/** A lane that is to be told of, and its session. */
export type Wanted = { lane: Lane; info: Session };

/** A session that does not rest. */
export type Working = Pick<SessionState, "sessionID" | "status"> & { directory: string };

/** When something was last heard of lanes. */
type Heard = Pick<KnownLanes, "heardAt" | "heard">;

export async function wantedLanes(deps: PresentDeps, known: Heard): Promise<Wanted[]> {
  const states = await lanesOfNow(deps, known, maxToTell);
  return Promise.all(
    states.map(async ({ lane }) => ({ lane, info: await deps.sessionInfo(lane, known.heardAt(lane.id) ?? 0) })),
  );
}

/** Those that are at work, or in which something happened lately. `known` learns what it does not know. */
export async function lanesOfNow(
  { service, clock }: PresentDeps,
  known: Heard,
  most = Number.POSITIVE_INFINITY,
): Promise<LaneState[]> {
  const [states, asks] = await Promise.all([service.lanes(), service.asks()]);
  const asking = new Set(asks.map(({ laneId }) => laneId));
  const bearings: Bearing[] = [];
  for (const { lane, holder, waiting } of states) {
    const heard = known.heardAt(lane.id) ?? (await service.eventsBefore(lane.id, null, 1))[0]?.time ?? 0;
    // Something newer may have been heard while that was read.
    if (known.heardAt(lane.id) === null) known.heard(lane.id, heard);
    const isAtWork = holder !== null || waiting > 0 || asking.has(lane.id);
    bearings.push({ lane: lane.id, isAtWork, changedAt: Math.max(heard, lane.createdAt) });
  }
  const byId = new Map(states.map((state) => [state.lane.id, state]));
  return lanesToTell(bearings, clock.now(), most).flatMap((id) => byId.get(id) ?? []);
}

/** Makes known what was not heard of, up to the event `after`. No event may be taken meanwhile. */
export async function makeKnown(
  { service }: PresentDeps,
  translator: Translator,
  wanted: readonly Pick<Wanted, "lane">[],
  after: string,
): Promise<void> {
  for (const { lane } of wanted) {
    const [newest] = await service.eventsBefore(lane.id, null, 1);
    if (!newest) continue;
    // What is kept may be ahead of what was told; so this is read after the newest.
    const { events } = await service.events({ after, lane: lane.id, limit: 1 });
    await translator.know(lane.id, { seq: events[0]?.event.seq ?? newest.seq + 1, time: null });
  }
}

/** Beside its end, what is noted when a turn is over. */
const newestFew = 10;

/**
 * Those that have to be known to say whether they work. The others rest: one that works is known once it was told of,
 * and of one that was never heard of the ledger and its newest events say so. There may be a lane for every prompt, and
 * while their past is read nobody is told anything.
 */
export async function thatMayWork(
  { service }: PresentDeps,
  translator: Translator,
  states: readonly LaneState[],
): Promise<LaneState[]> {
  const found: LaneState[] = [];
  for (const state of states) {
    const { lane, holder, waiting } = state;
    if (translator.knows(lane.id)) continue;
    const isAtWork = holder !== null || waiting > 0;
    if (isAtWork || !isAtRest(await service.eventsBefore(lane.id, null, newestFew))) found.push(state);
  }
  return found;
}

/** By a lane's newest events, newest first. */
function isAtRest(events: readonly UniversalEvent[]): boolean {
  const newest = events.find(({ type }) => type === "turn.started" || type === "turn.ended");
  return newest?.type === "turn.ended" && newest.data.queued === 0;
}

/**
 * As it was told last: busy is what has something to come. A message that was admitted a moment ago may not have been
 * told yet.
 */
export function workingOf(translator: Translator, { lane, waiting }: LaneState): Working[] {
  const { directory } = lane;
  const told = translator.sessions(lane.id).filter(({ status }) => status.type !== "idle");
  const own = sessionOf(lane.id);
  const isTold = waiting === 0 || told.some(({ sessionID }) => sessionID === own);
  const untold: Working[] = isTold ? [] : [{ sessionID: own, status: { type: "busy" }, directory }];
  return [...untold, ...told.map(({ sessionID, status }) => ({ sessionID, status, directory }))];
}

/** At once, so that it fits the moment. */
export function presentOf(translator: Translator, wanted: readonly Wanted[], at: number): Present[] {
  return wanted.flatMap(({ lane, info }) => {
    const own = sessionOf(lane.id);
    const told = translator.sessions(lane.id).flatMap((state) => {
      const { sessionID } = state;
      return presentState(state, sessionID === own ? info : childView(info, sessionID, info.time.updated), at);
    });
    const bare = { type: "session.updated", properties: { sessionID: own, info } };
    return (told.length > 0 ? told : [bare]).map((emitted) => ({ directory: lane.directory, emitted }));
  });
}

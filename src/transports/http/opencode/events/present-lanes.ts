/**
 * How lanes stand at one moment, from what the hub knows of them and, of those it has not heard of, from what is kept.
 * A lane that has rested for long costs a look at its newest event, once.
 */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Clock } from "../../../../clock.ts";
import type { Lane } from "../../../../delivery/lane.ts";
import type { Desk } from "../../../port.ts";
import { sessionOf } from "../ids.ts";
import { childView } from "../sessions/session-view.ts";
import type { KnownLanes } from "./known-lanes.ts";
import type { Present } from "./lines-of.ts";
import type { Bearing } from "./present-state.ts";
import { lanesToTell, presentState } from "./present-state.ts";
import type { Translator, TranslatorDeps } from "./translator.ts";

export type PresentDeps = Pick<TranslatorDeps, "sessionInfo"> & {
  desk: Pick<Desk, "lanes" | "asks" | "events" | "eventsBefore">;
  clock: Clock;
};

/** A lane that is to be told of, and its session. */
export type Wanted = { lane: Lane; info: Session };

/** `known` learns when something was last heard of those of which it does not know it. */
export async function wantedLanes(
  { desk, clock, sessionInfo }: PresentDeps,
  known: Pick<KnownLanes, "heardAt" | "heard">,
): Promise<Wanted[]> {
  const [states, asks] = await Promise.all([desk.lanes(), desk.asks()]);
  const asking = new Set(asks.map(({ laneId }) => laneId));
  const bearings: Bearing[] = [];
  const updatedAt = new Map<string, number>();
  for (const { lane, holder, waiting } of states) {
    const heard = known.heardAt(lane.id) ?? (await desk.eventsBefore(lane.id, null, 1))[0]?.time ?? 0;
    // Something newer may have been heard while that was read.
    if (known.heardAt(lane.id) === null) known.heard(lane.id, heard);
    updatedAt.set(lane.id, heard);
    const isAtWork = holder !== null || waiting > 0 || asking.has(lane.id);
    bearings.push({ lane: lane.id, isAtWork, changedAt: Math.max(heard, lane.createdAt) });
  }
  const lanes = new Map(states.map(({ lane }) => [lane.id, lane]));
  const wanted = lanesToTell(bearings, clock.now()).flatMap((id) => lanes.get(id) ?? []);
  return Promise.all(
    wanted.map(async (lane) => ({ lane, info: await sessionInfo(lane, updatedAt.get(lane.id) ?? 0) })),
  );
}

/** Makes known what was not heard of, up to the event `after`. No event may be taken meanwhile. */
export async function makeKnown(
  { desk }: PresentDeps,
  translator: Translator,
  wanted: readonly Wanted[],
  after: string,
): Promise<void> {
  for (const { lane } of wanted) {
    const [newest] = await desk.eventsBefore(lane.id, null, 1);
    if (!newest) continue;
    // What is kept may be ahead of what was told; so this is read after the newest.
    const { events } = await desk.events({ after, lane: lane.id, limit: 1 });
    await translator.know(lane.id, { seq: events[0]?.event.seq ?? newest.seq + 1, time: null });
  }
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

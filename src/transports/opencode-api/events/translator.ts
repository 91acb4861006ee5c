/**
 * Universal events as OpenCode's, lane by lane, for one who follows them in their order. A lane's projection is made when
 * it is first heard of, from what is kept of it, so that it says the same wherever one begins.
 *
 * Deltas are not kept, and make a projection say some things earlier. So that everybody counts alike, what an event
 * becomes is decided by a projection that hears no deltas; what another says beyond that is for those who are there.
 */
import type { Session } from "@opencode-ai/sdk/v2/types";
import { AppError } from "../../../app-error.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import { isKept } from "../../../core/turn/bounded-event.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Service } from "../../../service/service.ts";
import { childSessionOf, sessionOf, timedId } from "../ids.ts";
import type { Emitted, MessageRow, Place, SessionState } from "../projection/session-projection.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import { childView, placeOf } from "../sessions/session-view.ts";
import type { OpenCodeEvent, Words } from "./frame.ts";
import { EarlyWords } from "./live-text-dedupe.ts";
import { merged } from "./merged.ts";
import type { Moment } from "./restore-lane.ts";
import { recallLane } from "./restore-lane.ts";

export type Projection = Pick<SessionProjection, "take" | "messages" | "children" | "sessions" | "isBusy">;

export type TranslatorDeps = {
  service: Pick<Service, "lane" | "eventsBefore" | "deliveries">;
  /** The session of a lane, as clients see it. */
  sessionInfo: (lane: Lane, updatedAt: number) => Promise<Session>;
  projectionOf?: (place: Place) => Projection;
  /** Gets what goes wrong where nobody waits for it. */
  report: (error: unknown) => void;
};

/** `number` counts those that come in a replay, too; null for what is told live only. */
export type Translated = { event: OpenCodeEvent; number: number | null; words: Words | null };
export type Translation = { directory: string; count: number; events: readonly Translated[] };

type Known = { lane: Lane; kept: Projection; live: Projection | null; early: EarlyWords };

/** Of those at rest: what is known of one is its newest turn, twice, and there may be a lane for every prompt. */
const maxLanes = 200;

const nothing: Translation = { directory: "", count: 0, events: [] };

export class Translator {
  readonly #deps: TranslatorDeps;
  readonly #hearsDeltas: boolean;
  /** The one that was last of use is the last. */
  readonly #lanes = new Map<string, Known>();
  readonly #maxLanes: number;
  /** What is being read of a lane, and whether that lane is another since. One at a time. */
  #recalling: { laneId: string; isChanged: boolean } | null = null;

  constructor(deps: TranslatorDeps, options: { hearsDeltas: boolean; maxLanes?: number }) {
    this.#deps = deps;
    this.#hearsDeltas = options.hearsDeltas;
    this.#maxLanes = options.maxLanes ?? maxLanes;
  }

  /** To be called with one event at a time. Those of a lane that has been removed become nothing. */
  async translate(event: UniversalEvent): Promise<Translation> {
    const keeps = isKept(event);
    // A delta has the number of the event that it follows.
    const moment = { seq: keeps ? event.seq : event.seq + 1, time: event.time };
    const known = await this.#knownAt(event.lane, moment);
    if (!known) return nothing;
    const kept = keeps ? await this.#withSessions(event, known) : [];
    const live = known.live ? this.#taken(known.live, event) : [];
    const all = known.live ? merged(kept, live) : kept.map((emitted, index) => ({ emitted, number: index + 1 }));
    const events = all.map(({ emitted, number }, index) => ({
      number,
      words: known.early.wordsOf(emitted, number),
      event: { id: eventId(event, number, index), ...emitted },
    }));
    if (event.type === "turn.ended") known.early.clear();
    return { directory: known.lane.directory, count: kept.length, events };
  }

  messages(laneId: string, sessionID: string): readonly MessageRow[] {
    const known = this.#lanes.get(laneId);
    return (known?.live ?? known?.kept)?.messages(sessionID) ?? [];
  }

  /** What is kept of a lane up to that moment, unless it is known. No event of it may be taken meanwhile. */
  async know(laneId: string, moment: Moment): Promise<void> {
    await this.#knownAt(laneId, moment);
  }

  knows(laneId: string): boolean {
    return this.#lanes.has(laneId);
  }

  /** Nothing of a lane that is not known. */
  sessions(laneId: string): readonly SessionState[] {
    const known = this.#lanes.get(laneId);
    return (known?.live ?? known?.kept)?.sessions ?? [];
  }

  /** Its place may be another from now on; what is known of a lane that stays where it is, stays. */
  changed(laneId: string, lane: Lane | null): void {
    if (this.#recalling?.laneId === laneId) this.#recalling.isChanged = true;
    const known = this.#lanes.get(laneId);
    if (!known) return;
    if (lane && JSON.stringify(placeOf(lane)) === JSON.stringify(placeOf(known.lane))) known.lane = lane;
    else this.#lanes.delete(laneId);
  }

  forget(): void {
    this.#lanes.clear();
  }

  async #knownAt(laneId: string, moment: Moment): Promise<Known | null> {
    const known = this.#lanes.get(laneId) ?? (await this.#recall(laneId, moment));
    if (!known) return null;
    this.#lanes.delete(laneId);
    this.#lanes.set(laneId, known);
    this.#forgetResting();
    return known;
  }

  /** They are read from the store again when something happens in them. */
  #forgetResting(): void {
    if (this.#lanes.size <= this.#maxLanes) return;
    const [latest] = [...this.#lanes.keys()].slice(-1);
    for (const [laneId, { kept }] of this.#lanes) {
      if (this.#lanes.size <= this.#maxLanes) return;
      if (laneId !== latest && !kept.isBusy) this.#lanes.delete(laneId);
    }
  }

  /** Anew when the lane changes while its past is read: what is remembered of one that is gone would never be let go. */
  async #recall(laneId: string, moment: Moment): Promise<Known | null> {
    for (;;) {
      const recalling = { laneId, isChanged: false };
      this.#recalling = recalling;
      const known = await this.#readPast(laneId, moment);
      if (!recalling.isChanged) return known;
    }
  }

  async #readPast(laneId: string, moment: Moment): Promise<Known | null> {
    const { service, projectionOf = following } = this.#deps;
    const lane = await laneOrNull(service, laneId);
    if (!lane) return null;
    const place = placeOf(lane);
    const live = this.#hearsDeltas ? projectionOf(place) : null;
    const known = { lane, kept: projectionOf(place), live, early: new EarlyWords() };
    for (const past of await recallLane(service, laneId, moment)) {
      this.#taken(known.kept, past);
      if (known.live) this.#taken(known.live, past);
    }
    return known;
  }

  /** An event that nobody can show must not keep everybody from seeing the next. */
  #taken(projection: Projection, event: UniversalEvent): Emitted[] {
    try {
      return projection.take(event);
    } catch (error) {
      this.#deps.report(error);
      return [];
    }
  }

  /**
   * With what is told of the sessions themselves. A session was last changed when its newest turn ended; one below is
   * made when it is first heard of, in every turn that it works in.
   */
  async #withSessions(event: UniversalEvent, { lane, kept }: Known): Promise<Emitted[]> {
    const { nativeSession, time, type } = event;
    const child = nativeSession === undefined ? null : childSessionOf(lane.id, nativeSession);
    const isNew = child !== null && !kept.children.includes(child);
    const emitted = this.#taken(kept, event);
    if (child !== null && isNew && kept.children.includes(child)) {
      const info = childView(await this.#deps.sessionInfo(lane, time), child, time);
      return [{ type: "session.created", properties: { sessionID: child, info } }, ...emitted];
    }
    if (type !== "turn.ended") return emitted;
    const properties = { sessionID: sessionOf(lane.id), info: await this.#deps.sessionInfo(lane, time) };
    return [{ type: "session.updated", properties }, ...emitted];
  }
}

function following(place: Place): Projection {
  return new SessionProjection(place, { following: true });
}

function eventId({ time, lane, id }: UniversalEvent, number: number | null, index: number): string {
  return timedId("evt", time, number ?? 0, `${lane}/${id}/${number ?? `live ${index}`}`);
}

/** Null for one that is not there, or not any more. */
export async function laneOrNull(service: Pick<Service, "lane">, id: string): Promise<Lane | null> {
  try {
    return (await service.lane(id)).lane;
  } catch (error) {
    if (error instanceof AppError && error.code === "lane_unknown") return null;
    throw error;
  }
}

/**
 * Universal events as OpenCode's, lane by lane, for one who follows them in their order. A lane's projection is made when
 * it is first heard of, from what is kept of it, so that it says the same wherever one begins.
 *
 * Deltas are not kept, and make a projection say some things earlier. So that everybody counts alike, what an event
 * becomes is decided by a projection that hears no deltas; what another says beyond that is for those who are there.
 */
import { AppError } from "../../../../app-error.ts";
import type { Lane } from "../../../../delivery/lane.ts";
import type { UniversalEvent } from "../../../../events/universal-event.ts";
import { isKept } from "../../../../events/universal-event.ts";
import type { Desk } from "../../../port.ts";
import { sessionOf, timedId } from "../ids.ts";
import type { Emitted, MessageRow, Place } from "../projection/session-projection.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import { placeOf } from "../sessions/session-view.ts";
import { EarlyWords } from "./early-words.ts";
import type { OpenCodeEvent, Words } from "./line.ts";
import { merged } from "./merged.ts";
import { recallLane } from "./recall-lane.ts";

export type Projection = Pick<SessionProjection, "take" | "messages">;

export type TranslatorDeps = {
  desk: Pick<Desk, "lane" | "eventsBefore" | "deliveries">;
  /** The session of a lane, as clients see it. */
  sessionInfo: (lane: Lane, updatedAt: number) => Promise<unknown>;
  projectionOf?: (place: Place) => Projection;
  /** Gets what goes wrong where nobody waits for it. */
  report: (error: unknown) => void;
};

/** `number` counts those that come in a replay, too; null for what is told live only. */
export type Translated = { event: OpenCodeEvent; number: number | null; words: Words | null };
export type Translation = { directory: string; count: number; events: readonly Translated[] };

type Known = { lane: Lane; kept: Projection; live: Projection | null; early: EarlyWords };

const nothing: Translation = { directory: "", count: 0, events: [] };

export class Translator {
  readonly #deps: TranslatorDeps;
  readonly #hearsDeltas: boolean;
  readonly #lanes = new Map<string, Known>();

  constructor(deps: TranslatorDeps, { hearsDeltas }: { hearsDeltas: boolean }) {
    this.#deps = deps;
    this.#hearsDeltas = hearsDeltas;
  }

  /** To be called with one event at a time. Those of a lane that has been removed become nothing. */
  async translate(event: UniversalEvent): Promise<Translation> {
    const known = this.#lanes.get(event.lane) ?? (await this.#recall(event));
    if (!known) return nothing;
    const keeps = isKept(event);
    const kept = keeps ? await this.#withSession(event, known, this.#taken(known.kept, event)) : [];
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

  /** Its place may be another from now on; what is known of a lane that stays where it is, stays. */
  changed(laneId: string, lane: Lane | null): void {
    const known = this.#lanes.get(laneId);
    if (!known) return;
    if (lane && JSON.stringify(placeOf(lane)) === JSON.stringify(placeOf(known.lane))) known.lane = lane;
    else this.#lanes.delete(laneId);
  }

  forget(): void {
    this.#lanes.clear();
  }

  async #recall(event: UniversalEvent): Promise<Known | null> {
    const { desk, projectionOf = following } = this.#deps;
    const lane = await laneOrNull(desk, event.lane);
    if (!lane) return null;
    const place = placeOf(lane);
    const live = this.#hearsDeltas ? projectionOf(place) : null;
    const known = { lane, kept: projectionOf(place), live, early: new EarlyWords() };
    // A delta has the number of the event that it follows.
    for (const past of await recallLane(desk, event.lane, {
      seq: isKept(event) ? event.seq : event.seq + 1,
      time: event.time,
    })) {
      this.#taken(known.kept, past);
      if (known.live) this.#taken(known.live, past);
    }
    this.#lanes.set(event.lane, known);
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

  /** A session was last changed when its newest turn ended. */
  async #withSession(event: UniversalEvent, { lane }: Known, emitted: Emitted[]): Promise<Emitted[]> {
    if (event.type !== "turn.ended") return emitted;
    const properties = { sessionID: sessionOf(lane.id), info: await this.#deps.sessionInfo(lane, event.time) };
    return [{ type: "session.updated", properties }, ...emitted];
  }
}

function following(place: Place): Projection {
  return new SessionProjection(place, { following: true });
}

function eventId({ time, lane, id }: UniversalEvent, number: number | null, index: number): string {
  return timedId("evt", time, number ?? 0, `${lane}/${id}/${number ?? `live ${index}`}`);
}

async function laneOrNull(desk: Pick<Desk, "lane">, id: string): Promise<Lane | null> {
  try {
    return (await desk.lane(id)).lane;
  } catch (error) {
    if (error instanceof AppError && error.code === "lane_unknown") return null;
    throw error;
  }
}

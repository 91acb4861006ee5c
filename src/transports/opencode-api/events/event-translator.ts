/**
 * Translates universal events into OpenCode's, lane by lane, for a reader that processes them in order. A lane's
 * projection is restored from the kept events when its first event arrives, so the result does not depend on where the
 * reader began.
 *
 * Deltas are not kept, and make a projection publish some things earlier. A projection without deltas therefore decides
 * what an event becomes, so that all readers count alike; anything extra from the projection with deltas is live only.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Lane } from "../../../core/lane/lane.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Service } from "../../../service/service.ts";
import { childSessionOf, sessionOf, timedId } from "../ids.ts";
import type { NativeEvent, SessionMessage, SessionSettings } from "../projection/native-event.ts";
import type { SessionSnapshot } from "../projection/session-projection.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import { childView, sessionSettings } from "../projection/session-view.ts";
import type { IdentifiedEvent, LiveText } from "./frame.ts";
import { mergeLiveEvents } from "./live-events.ts";
import { LiveTextDedupe } from "./live-text-dedupe.ts";
import type { RestorePoint } from "./restore-lane.ts";
import { restoreLane } from "./restore-lane.ts";

type Projection = Pick<SessionProjection, "take" | "messages" | "children" | "sessions" | "isBusy">;

export type TranslatorDeps = {
  service: Pick<Service, "lane" | "eventsBefore" | "deliveries">;
  sessionInfo: (lane: Lane, updatedAt: number) => Promise<Session>;
  createProjection?: (settings: SessionSettings) => Projection;
  /** Receives errors that reach no caller. */
  report: (error: unknown) => void;
};

/** `number` counts the events of a replay; null for an event that is only published live. */
type TranslatedEvent = { event: IdentifiedEvent; number: number | null; liveText: LiveText | null };
/** `count` is how many events a replay has. */
export type Translation = { directory: string; count: number; events: readonly TranslatedEvent[] };

type KnownLane = { lane: Lane; kept: Projection; live: Projection | null; dedupe: LiveTextDedupe };

/** Limits idle lanes: each holds its newest turn twice, and some clients create a lane for every prompt. */
const maxLanes = 200;

const eventsATurn = 250;

export class EventTranslator {
  readonly #deps: TranslatorDeps;
  readonly #withDeltas: boolean;
  /** The most recently used lane is last. */
  readonly #lanes = new Map<string, KnownLane>();
  readonly #maxLanes: number;
  /** The lane being restored, one at a time, and whether it changed since the start. */
  #restoring: { laneId: string; isChanged: boolean } | null = null;

  constructor(deps: TranslatorDeps, options: { withDeltas: boolean; maxLanes?: number }) {
    this.#deps = deps;
    this.#withDeltas = options.withDeltas;
    this.#maxLanes = options.maxLanes ?? maxLanes;
  }

  /** Call it with one event at a time. Events of a removed lane translate to nothing. */
  async translate(event: UniversalEvent): Promise<Translation> {
    const keeps = event.type !== "item.delta";
    // A delta has the number of the event that it follows.
    const known = await this.restore(event.lane, { seq: keeps ? event.seq : event.seq + 1, time: event.time });
    if (!known) return { directory: "", count: 0, events: [] };
    const kept = keeps ? await this.#withSessionEvents(event, known) : [];
    // Before the first delta nothing is live only.
    const numbered = mergeLiveEvents(kept, known.live ? this.#project(known.live, event) : []);
    const events = numbered.map((one, index) => ({
      number: one.number,
      liveText: known.dedupe.liveTextOf(one),
      event: { id: eventId(event, one.number, index), ...one.event },
    }));
    if (event.type === "turn.ended") known.dedupe.clear();
    return { directory: known.lane.directory, count: kept.length, events };
  }

  messages(laneId: string, sessionID: string): readonly SessionMessage[] {
    return this.#newest(laneId)?.messages(sessionID) ?? [];
  }

  has(laneId: string): boolean {
    return this.#lanes.has(laneId);
  }

  /** Empty for an unknown lane. */
  sessions(laneId: string): readonly SessionSnapshot[] {
    return this.#newest(laneId)?.sessions ?? [];
  }

  #newest(laneId: string): Projection | undefined {
    const known = this.#lanes.get(laneId);
    return known?.live ?? known?.kept;
  }

  /** A lane with changed settings is restored again. */
  updateLane(laneId: string, lane: Lane | null): void {
    if (this.#restoring?.laneId === laneId) this.#restoring.isChanged = true;
    const known = this.#lanes.get(laneId);
    if (!known) return;
    const isSame = lane && JSON.stringify(sessionSettings(lane)) === JSON.stringify(sessionSettings(known.lane));
    if (isSame) known.lane = lane;
    else this.#lanes.delete(laneId);
  }

  reset(): void {
    this.#lanes.clear();
  }

  /** Reads an unknown lane up to that point; none of its events may be processed during that. Null if removed. */
  async restore(laneId: string, point: RestorePoint): Promise<KnownLane | null> {
    const known = this.#lanes.get(laneId) ?? (await this.#readLane(laneId, point));
    if (!known) return null;
    this.#lanes.delete(laneId);
    this.#lanes.set(laneId, known);
    this.#forgetResting(laneId);
    return known;
  }

  #forgetResting(latest: string): void {
    for (const [laneId, { kept }] of this.#lanes) {
      if (this.#lanes.size <= this.#maxLanes) return;
      if (laneId !== latest && !kept.isBusy) this.#lanes.delete(laneId);
    }
  }

  /** Starts over when the lane changes during the read; otherwise a removed lane would never be forgotten. */
  async #readLane(laneId: string, point: RestorePoint): Promise<KnownLane | null> {
    for (;;) {
      const restoring = { laneId, isChanged: false };
      this.#restoring = restoring;
      const known = await this.#readLaneOnce(laneId, point);
      if (!restoring.isChanged) return known;
    }
  }

  async #readLaneOnce(laneId: string, point: RestorePoint): Promise<KnownLane | null> {
    const { service, createProjection = createFollowing } = this.#deps;
    const lane = await laneOrNull(service, laneId);
    if (!lane) return null;
    const settings = sessionSettings(lane);
    const live = this.#withDeltas ? createProjection(settings) : null;
    const known = { lane, kept: createProjection(settings), live, dedupe: new LiveTextDedupe() };
    for (const [index, event] of (await restoreLane(service, laneId, point)).entries()) {
      // Thousands of messages may be queued in it.
      if (index % eventsATurn === eventsATurn - 1) await nextTurn();
      this.#project(known.kept, event);
      if (known.live) this.#project(known.live, event);
    }
    return known;
  }

  /** An event that cannot be projected must not hide the ones after it. */
  #project(projection: Projection, event: UniversalEvent): NativeEvent[] {
    try {
      return projection.take(event);
    } catch (error) {
      this.#deps.report(error);
      return [];
    }
  }

  /**
   * Adds the events about the sessions themselves. A session was last changed when its newest turn ended; a child is
   * created with its first event in every turn that it works in.
   */
  async #withSessionEvents(event: UniversalEvent, { lane, kept }: KnownLane): Promise<NativeEvent[]> {
    const { nativeSession, time, type } = event;
    const child = nativeSession === undefined ? null : childSessionOf(lane.id, nativeSession);
    const isNew = child !== null && !kept.children.includes(child);
    const events = this.#project(kept, event);
    if (child !== null && isNew && kept.children.includes(child)) {
      const info = childView(await this.#deps.sessionInfo(lane, time), child, time);
      return [{ type: "session.created", properties: { sessionID: child, info } }, ...events];
    }
    if (type !== "turn.ended") return events;
    const properties = { sessionID: sessionOf(lane.id), info: await this.#deps.sessionInfo(lane, time) };
    return [{ type: "session.updated", properties }, ...events];
  }
}

function createFollowing(settings: SessionSettings): Projection {
  return new SessionProjection(settings, { following: true });
}

function eventId({ time, lane, id }: UniversalEvent, number: number | null, index: number): string {
  return timedId("evt", time, number ?? 0, `${lane}/${id}/${number ?? `live ${index}`}`);
}

/** Null for a lane that does not exist or was removed. */
export async function laneOrNull(service: Pick<Service, "lane">, id: string): Promise<Lane | null> {
  try {
    return (await service.lane(id)).lane;
  } catch (error) {
    if (error instanceof AppError && error.code === "lane_unknown") return null;
    throw error;
  }
}

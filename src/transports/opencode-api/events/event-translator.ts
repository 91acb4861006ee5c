/**
 * Translates universal events into OpenCode's, lane by lane, for a reader that processes them in order. A lane's
 * projection is restored from the kept events when its first event arrives, so the result does not depend on where the
 * reader began.
 *
 * Deltas are not kept, and make a projection publish some things earlier. A projection without deltas therefore decides
 * what an event becomes, so that all readers count alike; anything extra from the projection with deltas is live only.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Lane } from "../../../core/lane/lane.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { Service } from "../../../service/service.ts";
import type { RestorePoint } from "../history/read-events.ts";
import { restoreLane } from "../history/read-events.ts";
import { childSessionOf, sessionOf, timedId } from "../ids.ts";
import type { SessionSnapshot } from "../projection/session-projection.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import type { NativeEvent, SessionMessage, SessionSettings } from "../projection/session-view.ts";
import { childView, sessionSettings } from "../projection/session-view.ts";
import type { LiveText, SessionInfo, Translation } from "./frames.ts";

type Projection = Pick<SessionProjection, "take" | "messages" | "children" | "sessions" | "isBusy">;

export type TranslatorDeps = {
  service: Pick<Service, "lane" | "eventsBefore" | "deliveries">;
  sessionInfo: SessionInfo;
  createProjection?: (settings: SessionSettings) => Projection;
  /** Receives errors that reach no caller. */
  report: (error: unknown) => void;
};

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
async function laneOrNull(service: Pick<Service, "lane">, id: string): Promise<Lane | null> {
  try {
    return (await service.lane(id)).lane;
  } catch (error) {
    if (error instanceof AppError && error.code === "lane_unknown") return null;
    throw error;
  }
}

/** `number` counts the events of a replay; null for an event that is only published live. */
type NumberedEvent = { event: NativeEvent; number: number | null };

/**
 * Merges the translation of an event for clients that got the deltas before it with the translation for clients that
 * did not. Events in both are taken from the second and counted there, so they are the same live and in a replay.
 */
function mergeLiveEvents(kept: readonly NativeEvent[], live: readonly NativeEvent[]): NumberedEvent[] {
  const all: NumberedEvent[] = [];
  let next = 0;
  for (const event of live) {
    const found = kept.findIndex((one, index) => index >= next && keyOf(one) === keyOf(event));
    if (found < 0) {
      all.push({ event, number: null });
      continue;
    }
    all.push(...numbered(kept, next, found + 1));
    next = found + 1;
  }
  return [...all, ...numbered(kept, next, kept.length)];
}

/** Includes events already published live: not all clients were connected then. */
function numbered(kept: readonly NativeEvent[], from: number, to: number): NumberedEvent[] {
  return kept.slice(from, to).map((event, index) => ({ event, number: from + index + 1 }));
}

/** Identifies the message, part or ask that the event is about. */
function keyOf({ type, properties }: NativeEvent): string {
  const { info, part, id, requestID, partID } = properties as Record<string, { id?: unknown } | undefined>;
  return JSON.stringify([type, info?.id, part?.id, id, requestID, partID, properties.sessionID]);
}

/**
 * Tracks texts of a lane that were published before their message was complete, for example because a call follows
 * them. They are published again with the message, for clients that were not connected.
 */
class LiveTextDedupe {
  /** By part. */
  readonly #published = new Map<string, { text: string; key: object }>();

  /** Null for events that are published once. */
  liveTextOf({ event, number }: NumberedEvent): LiveText | null {
    const complete = completeText(event);
    if (complete === null) return null;
    if (number === null) {
      const key = {};
      this.#published.set(complete.id, { text: complete.text, key });
      return { key, isRepeat: false };
    }
    const published = this.#published.get(complete.id);
    this.#published.delete(complete.id);
    return published?.text === complete.text ? { key: published.key, isRepeat: true } : null;
  }

  clear(): void {
    this.#published.clear();
  }
}

function completeText({ type, properties }: NumberedEvent["event"]): { id: string; text: string } | null {
  if (type !== "message.part.updated") return null;
  const { part } = properties as { part: { id: string; text?: string; time?: { end?: number } } };
  return part.text === undefined || part.time?.end === undefined ? null : { id: part.id, text: part.text };
}

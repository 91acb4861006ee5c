/**
 * The recorder's state of one lane: its turn tracker, the open notes, and the number of its last event. All of it is
 * restored from the store, so that a lane continues after a restart where it was.
 */

import type { LoggedEvent, NewEvent } from "../core/log/log-item.ts";
import type { LiveTurn } from "../core/turn/bounded-event.ts";
import { bounded, boundedTurn } from "../core/turn/bounded-event.ts";
import { endNote, isOver, roundOf } from "../core/turn/delivery-notes.ts";
import { KnownIds } from "../core/turn/item-tracker.ts";
import type { Signal } from "../core/turn/signal.ts";
import { TurnTracker } from "../core/turn/turn-tracker.ts";
import type { Draft, EventBody, UniversalEvent } from "../core/turn/universal-event.ts";
import type { LedgerStore, LogStore } from "../store/port.ts";

/** A note from the daemon itself about a lane. */
export type Note = { type: "note"; at: number; body: EventBody };

/** The open items of a lane. `seq` is the number of its last event: everything up to it is included. */
export type LaneTurn = LiveTurn & { seq: number };

/** A runtime only repeats signals of the newest turns; the newest turn is always restored in full. */
const restoredEvents = 1000;
const pageSize = 250;
const shortCharacters = 1000;

type EventHistory = Pick<LogStore, "lastEventSeq" | "eventsBefore">;

export class LaneLog {
  readonly laneId: string;
  readonly #tracker = new TurnTracker();
  readonly #newId: () => string;
  /** Which notes were started and which are over, so that none is published twice. */
  readonly #started = new KnownIds(restoredEvents);
  readonly #ended = new KnownIds(restoredEvents);
  #seq: number;
  /** The session of the newest event. */
  session: string | null = null;

  private constructor(laneId: string, seq: number, newId: () => string) {
    this.laneId = laneId;
    this.#seq = seq;
    this.#newId = newId;
  }

  static async restore(store: EventHistory, laneId: string, newId: () => string): Promise<LaneLog> {
    const log = new LaneLog(laneId, await store.lastEventSeq(laneId), newId);
    if (log.#seq === 0) return log;
    for (const event of await newestTurns(store, laneId)) {
      log.session = event.session;
      if (isNote(event)) log.#isNew(event);
      else log.#tracker.restore(event);
    }
    return log;
  }

  /** The ends of deliveries that were not noted because the daemon died before it could. */
  async unrecordedEnds(store: Pick<LedgerStore, "deliveryOf">): Promise<EventBody[]> {
    const unrecorded: EventBody[] = [];
    for (const id of this.#started.ids()) {
      const started = this.#ended.has(id) ? null : roundOf(id);
      if (!started) continue;
      const { message: messageId, round: rounds } = started;
      const record = await store.deliveryOf(this.laneId, messageId);
      // A missing record was closed long ago.
      if (!record) unrecorded.push(endNote({ messageId, rounds, status: "responded", lastReason: null }));
      // Only a failed delivery is retried.
      else if (record.rounds > rounds)
        unrecorded.push(endNote({ messageId, rounds, status: "failed_terminal", lastReason: null }));
      // A lost and rebuilt record counts from the first round again.
      else if (isOver(record)) unrecorded.push(endNote({ ...record, rounds }));
    }
    return unrecorded;
  }

  get inTurn(): boolean {
    return this.#tracker.inTurn;
  }

  /** The open items of the lane, and the number of its last event. */
  get live(): LaneTurn {
    return { seq: this.#seq, ...boundedTurn(this.#tracker.live) };
  }

  take(received: Signal | Note): NewEvent[] {
    if (received.type === "note") return this.#note(received);
    return this.#tracker.take(received).map((draft) => this.#entry(draft));
  }

  #note({ at: time, body }: Note): NewEvent[] {
    if (!this.#isNew(body)) return [];
    const { turn } = this.#tracker;
    return [this.#entry({ time, session: this.session ?? "", turn, source: "daemon", synthetic: false, ...body })];
  }

  #isNew(body: EventBody): boolean {
    if (body.type === "item.started") return this.#started.add(body.data.item.id);
    return body.type === "item.completed" && this.#ended.add(body.data.item.id);
  }

  #entry(draft: Draft): NewEvent {
    const kept = draft.type !== "item.delta";
    if (kept) this.#seq += 1;
    this.session = draft.session;
    const event: UniversalEvent = { id: this.#newId(), seq: this.#seq, lane: this.laneId, ...draft };
    return { ...(short(event) ?? bounded(event)), kept };
  }
}

/** Null for an event that may be too long, or nested too deeply, which also takes many characters. */
function short(event: UniversalEvent): LoggedEvent | null {
  try {
    const text = JSON.stringify(event);
    return text.length <= shortCharacters ? { event, text } : null;
  } catch {
    return null;
  }
}

/** The tracker's own events come from the agent, or are synthetic. */
function isNote({ source, synthetic }: UniversalEvent): boolean {
  return source === "daemon" && !synthetic;
}

/** Oldest first: the newest turn, and as many events before it as a runtime may repeat. */
export async function newestTurns(
  store: Pick<EventHistory, "eventsBefore">,
  laneId: string,
): Promise<UniversalEvent[]> {
  const found: UniversalEvent[] = [];
  for (let hasTurn = false; !hasTurn || found.length < restoredEvents; ) {
    const page = await store.eventsBefore(laneId, found.at(-1)?.seq ?? null, pageSize);
    if (page.length === 0) break;
    hasTurn ||= page.some(({ type }) => type === "turn.started");
    found.push(...page);
  }
  return found.reverse();
}

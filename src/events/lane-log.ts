/**
 * What the recorder knows of one lane: its turn tracker, the notes that are open, and the number of its last event. All
 * are taken from the store, so that a lane goes on after a restart where it was.
 */

import type { LoggedEvent, NewEvent } from "../core/log/log-item.ts";
import { bounded } from "../core/turn/bounded-event.ts";
import { endNote, isOver, roundOf } from "../core/turn/delivery-notes.ts";
import { KnownIds } from "../core/turn/item-tracker.ts";
import type { Signal } from "../core/turn/signal.ts";
import { TurnTracker } from "../core/turn/turn-tracker.ts";
import type { Draft, EventBody, UniversalEvent } from "../core/turn/universal-event.ts";
import type { Store } from "../store/port.ts";

/** What the daemon itself has to say of a lane. */
export type Note = { type: "note"; at: number; body: EventBody };

/** What a runtime may say again is of the newest turns; in any case as far back as the newest one goes. */
const restoredEvents = 1000;
const pageSize = 250;
const shortCharacters = 1000;

export class LaneLog {
  readonly laneId: string;
  readonly #tracker = new TurnTracker();
  readonly #newId: () => string;
  /** Which notes were started and which are over, so that none is told twice. */
  readonly #started = new KnownIds(restoredEvents);
  readonly #ended = new KnownIds(restoredEvents);
  #seq: number;
  /** Of the newest event. */
  session: string | null = null;

  private constructor(laneId: string, seq: number, newId: () => string) {
    this.laneId = laneId;
    this.#seq = seq;
    this.#newId = newId;
  }

  static async restore(store: Store, laneId: string, newId: () => string): Promise<LaneLog> {
    const log = new LaneLog(laneId, await store.lastEventSeq(laneId), newId);
    if (log.#seq === 0) return log;
    for (const event of await newestTurns(store, laneId)) {
      log.session = event.session;
      if (isNote(event)) log.#isNew(event);
      else log.#tracker.restore(event);
    }
    return log;
  }

  /** The ends of deliveries that were not noted, since the daemon died just then. */
  async unrecordedEnds(store: Store): Promise<EventBody[]> {
    const unrecorded: EventBody[] = [];
    for (const id of this.#started.ids()) {
      const started = this.#ended.has(id) ? null : roundOf(id);
      if (!started) continue;
      const { message: messageId, round: rounds } = started;
      const record = await store.deliveryOf(this.laneId, messageId);
      // One that is gone was over long ago.
      if (!record) unrecorded.push(endNote({ messageId, rounds, status: "responded", lastReason: null }));
      // Only what failed is retried.
      else if (record.rounds > rounds)
        unrecorded.push(endNote({ messageId, rounds, status: "failed_terminal", lastReason: null }));
      // A record that was lost and rebuilt counts from the first round again.
      else if (isOver(record)) unrecorded.push(endNote({ ...record, rounds }));
    }
    return unrecorded;
  }

  get inTurn(): boolean {
    return this.#tracker.inTurn;
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

/** Null for one that may be too long, or nested too deep: that takes as many characters. */
function short(event: UniversalEvent): LoggedEvent | null {
  try {
    const text = JSON.stringify(event);
    return text.length <= shortCharacters ? { event, text } : null;
  } catch {
    return null;
  }
}

/** The tracker's own events are the agent's, or concluded. */
function isNote({ source, synthetic }: UniversalEvent): boolean {
  return source === "daemon" && !synthetic;
}

/** Oldest first. */
async function newestTurns(store: Store, laneId: string): Promise<UniversalEvent[]> {
  const found: UniversalEvent[] = [];
  for (let hasTurn = false; !hasTurn || found.length < restoredEvents; ) {
    const page = await store.eventsBefore(laneId, found.at(-1)?.seq ?? null, pageSize);
    if (page.length === 0) break;
    hasTurn ||= page.some(({ type }) => type === "turn.started");
    found.push(...page);
  }
  return found.reverse();
}

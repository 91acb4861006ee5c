/**
 * What the recorder knows of one lane: its turn tracker, and the number of its last event. Both are taken from the
 * store, so that a lane goes on after a restart where it was.
 */
import type { Store } from "../store/port.ts";
import { bounded, shallow } from "./bounded-event.ts";
import type { Signal } from "./signal.ts";
import { TurnTracker } from "./turn-tracker.ts";
import type { Draft, UniversalEvent } from "./universal-event.ts";
import { isKept } from "./universal-event.ts";

/** An event on its way to the store and to those who follow. */
export type Entry = { event: UniversalEvent; text: string; kept: boolean };

/** What a runtime may say again is of the newest turns; in any case as far back as the newest one goes. */
const recalled = 1000;
const atOnce = 250;

export class LaneLog {
  readonly laneId: string;
  readonly #tracker = new TurnTracker();
  readonly #newId: () => string;
  #seq: number;
  /** Of the newest event. */
  session: string | null = null;

  private constructor(laneId: string, seq: number, newId: () => string) {
    this.laneId = laneId;
    this.#seq = seq;
    this.#newId = newId;
  }

  static async recall(store: Store, laneId: string, newId: () => string): Promise<LaneLog> {
    const log = new LaneLog(laneId, await store.lastEventSeq(laneId), newId);
    for (const event of await newestTurns(store, laneId)) {
      log.#tracker.recall(event);
      log.session = event.session;
    }
    return log;
  }

  get inTurn(): boolean {
    return this.#tracker.inTurn;
  }

  take(signal: Signal): Entry[] {
    return this.#tracker.take(shallow(signal)).map((draft) => this.#entry(draft));
  }

  #entry(draft: Draft): Entry {
    const kept = isKept(draft);
    if (kept) this.#seq += 1;
    this.session = draft.session;
    const event: UniversalEvent = { id: this.#newId(), seq: this.#seq, lane: this.laneId, ...draft };
    return { ...bounded(event), kept };
  }
}

/** Oldest first. */
async function newestTurns(store: Store, laneId: string): Promise<UniversalEvent[]> {
  const found: UniversalEvent[] = [];
  for (let hasTurn = false; !hasTurn || found.length < recalled; ) {
    const page = await store.eventsBefore(laneId, found.at(-1)?.seq ?? null, atOnce);
    if (page.length === 0) break;
    hasTurn ||= page.some(({ type }) => type === "turn.started");
    found.push(...page);
  }
  return found.reverse();
}

/**
 * The log of a lane's events. `LaneLog` is the recorder's state of one lane: its turn tracker, the open notes, and the number of its last event. All of it is
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
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";
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

export type WriterDeps = {
  store: Pick<LogStore, "appendEvents">;
  clock: Clock;
  /** How many events of a lane are kept. */
  keep: number;
  onError: (failure: { laneId?: string; error: unknown }) => void;
  /** How much is held back while the store cannot be written. */
  maxCharacters?: number;
};

type WriterListeners = {
  /** Events of one lane that will not be written, and when to try again. */
  onDropped: (entries: readonly NewEvent[], afterMs: number) => void;
  /** Nothing is waiting: everything has been written to the store. */
  onIdle: () => void;
};

const maxPerCommit = 500;
const firstRetryMs = 1000;
const maxRetryMs = 30_000;
/** When to retry a lane whose events alone are refused. */
const refusedMs = 10_000;

/**
 * Writes events to the log in order. Events that arrive during a commit go into the next one; deltas are not kept, but
 * published in order with the others.
 *
 * While the store cannot be written, a bounded amount is held back and retried. Beyond that, everything held back is
 * dropped, and so are the events of a single lane that the store refuses while it accepts those of others.
 */
export class EventWriter {
  readonly #deps: WriterDeps;
  readonly #listeners: WriterListeners;
  #queue: NewEvent[] = [];
  #characters = 0;
  #writing: Promise<void> | null = null;
  #failing = false;
  #isClosed = false;
  #retryMs = firstRetryMs;
  #cancelRetry: () => void = () => {};

  constructor(deps: WriterDeps, listeners: WriterListeners) {
    this.#deps = deps;
    this.#listeners = listeners;
  }

  add(entries: readonly NewEvent[]): void {
    for (const entry of entries) {
      if (this.#failing && !entry.kept) continue;
      this.#queue.push(entry);
      this.#characters += entry.text.length;
    }
    // A long turn that arrives in one batch may exceed the limit, and is written in a moment.
    if (!this.#failing) void this.write();
    else if (this.#isFull) this.#dropAll();
  }

  /** One write at a time; callers that arrive during a write wait for the same one, which includes their events. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  /** Writes everything that is left, if possible. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry();
    this.#failing = false;
    await this.write();
    const lost = this.#queue.filter(({ kept }) => kept).length;
    if (lost > 0) this.#deps.onError({ error: eventsLost(lost) });
  }

  get #isFull(): boolean {
    return this.#characters > (this.#deps.maxCharacters ?? 16 * 1024 * 1024);
  }

  async #writeAll(): Promise<void> {
    // Events from the same tick are written together.
    await null;
    while (this.#queue.length > 0 && !this.#failing) await this.#writeBatch(this.#nextBatch());
    if (this.#queue.length === 0) this.#listeners.onIdle();
    // In the same tick as the last check of the queue: later events start a new write.
    this.#writing = null;
  }

  #nextBatch(): NewEvent[] {
    const batch = this.#queue.splice(0, maxPerCommit);
    this.#characters -= charactersIn(batch);
    return batch;
  }

  async #writeBatch(batch: readonly NewEvent[]): Promise<void> {
    try {
      await this.#append(batch);
    } catch (error) {
      if (isStoreDown(error)) return this.#failed(batch, error);
      const lanes = [...byLane(batch), ...this.#nextLane(batch)];
      if (lanes.length === 1 && !isOutOfOrder(error)) this.#failed(batch, error);
      else await this.#writeLaneByLane(lanes);
    }
  }

  /** The waiting events of one more lane. A long turn of a lane whose events are refused may fill a whole batch. */
  #nextLane(batch: readonly NewEvent[]): NewEvent[][] {
    const tried = new Set(batch.map(({ event }) => event.lane));
    const lane = this.#queue.find(({ event, kept }) => kept && !tried.has(event.lane))?.event.lane;
    if (lane === undefined) return [];
    const own = new Set(this.#queue.filter(({ event }) => event.lane === lane).slice(0, maxPerCommit));
    this.#queue = this.#queue.filter((entry) => !own.has(entry));
    this.#characters = charactersIn(this.#queue);
    return [[...own]];
  }

  async #append(batch: readonly NewEvent[]): Promise<void> {
    await this.#deps.store.appendEvents(batch, this.#deps.keep);
    this.#retryMs = firstRetryMs;
  }

  /** If the store refuses the events of every lane, no lane is at fault. */
  async #writeLaneByLane(lanes: readonly NewEvent[][]): Promise<void> {
    const refused: { entries: NewEvent[]; error: unknown }[] = [];
    for (const entries of lanes) {
      await this.#append(entries).catch((error: unknown) => refused.push({ entries, error }));
    }
    // Nothing is written for a lane that has only deltas.
    const written = lanes.filter((entries) => entries.some(({ kept }) => kept));
    const isLanesFault = ({ error }: { error: unknown }) =>
      isOutOfOrder(error) || (refused.length < written.length && !isStoreDown(error));
    for (const { entries, error } of refused.filter(isLanesFault)) this.#dropLane(entries, error);
    const waiting = refused.filter((one) => !isLanesFault(one));
    if (waiting[0]) {
      this.#failed(
        waiting.flatMap(({ entries }) => entries),
        waiting[0].error,
      );
    }
  }

  #failed(batch: readonly NewEvent[], error: unknown): void {
    this.#queue = [...batch, ...this.#queue].filter(({ kept }) => kept);
    this.#characters = charactersIn(this.#queue);
    this.#deps.onError({ error });
    this.#failing = true;
    if (this.#isFull) this.#dropAll();
    if (this.#isClosed) return;
    const { clock } = this.#deps;
    this.#cancelRetry = clock.at(clock.now() + this.#retryMs, () => {
      this.#failing = false;
      void this.write();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, maxRetryMs);
  }

  /** Everything that waits, for all lanes concerned. */
  #dropAll(): void {
    const waiting = byLane(this.#queue);
    this.#queue = [];
    this.#characters = 0;
    for (const entries of waiting) this.#listeners.onDropped(entries, this.#retryMs);
  }

  #dropLane(entries: readonly NewEvent[], error: unknown): void {
    const laneId = entries[0]?.event.lane;
    const isOfLane = ({ event }: NewEvent) => event.lane === laneId;
    const all = [...entries, ...this.#queue.filter(isOfLane)];
    this.#queue = this.#queue.filter((entry) => !isOfLane(entry));
    this.#characters = charactersIn(this.#queue);
    this.#deps.onError({ ...(laneId === undefined ? {} : { laneId }), error });
    this.#listeners.onDropped(all, refusedMs);
  }
}

/** The events of each lane, in order. */
function byLane(entries: readonly NewEvent[]): NewEvent[][] {
  const lanes = new Map<string, NewEvent[]>();
  for (const entry of entries) {
    const own = lanes.get(entry.event.lane);
    if (own) own.push(entry);
    else lanes.set(entry.event.lane, [entry]);
  }
  return [...lanes.values()];
}

function charactersIn(entries: readonly NewEvent[]): number {
  return entries.reduce((sum, { text }) => sum + text.length, 0);
}

function isStoreDown(error: unknown): boolean {
  return error instanceof AppError && ["store_unwritable", "store_replaced", "store_corrupt"].includes(error.code);
}

/** The event numbers of a lane and of the store have diverged; the store is right. */
function isOutOfOrder(error: unknown): boolean {
  return error instanceof AppError && error.code === "events_out_of_order";
}

export function eventsLost(count: number): AppError {
  return new AppError({
    code: "events_lost",
    message: `${count} events could not be kept, because the store cannot write them.`,
    hint: "Free up space on its disk, if it is full. Deliveries are not affected; agents continue.",
  });
}

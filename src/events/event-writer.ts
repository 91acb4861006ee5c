/**
 * Writes events to the log in order. Events that arrive during a commit go into the next one; deltas are not kept,
 * but published in order with the others.
 *
 * While the store cannot be written, a bounded amount is held back and retried. Beyond that, everything held back is
 * dropped, and so are the events of a single lane that the store refuses while it accepts those of others.
 */

import type { NewEvent } from "../core/log/log-item.ts";
import { AppError } from "../platform/app-error.ts";
import type { Clock } from "../platform/clock.ts";
import type { LogStore } from "../store/port.ts";

export type WriterDeps = {
  store: Pick<LogStore, "appendEvents">;
  clock: Clock;
  /** How many events of a lane are kept. */
  keep: number;
  onError: (failure: { laneId?: string; error: unknown }) => void;
  /** How much is held back while the store cannot be written. */
  maxCharacters?: number;
};

export type WriterListeners = {
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
export function byLane(entries: readonly NewEvent[]): NewEvent[][] {
  const lanes = new Map<string, NewEvent[]>();
  for (const entry of entries) {
    const own = lanes.get(entry.event.lane);
    if (own) own.push(entry);
    else lanes.set(entry.event.lane, [entry]);
  }
  return [...lanes.values()];
}

export function charactersIn(entries: readonly NewEvent[]): number {
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

/**
 * Writes events to the log in their order. What comes while a commit is under way goes into the next one; deltas are not
 * kept, and pass by in their order among the others.
 *
 * While the store cannot be written it holds back a bounded amount and tries again. What is more than that is given up as
 * a whole, and so are the events of one lane that the store does not take while it takes those of others.
 */
import type { Clock } from "../clock.ts";
import type { NewEvent } from "../core/log/log-item.ts";
import type { LogStore } from "../store/port.ts";
import { eventsLost, isOutOfOrder, isStoreDown } from "./write-errors.ts";

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
  /** Events of one lane that will not be written, and when it may be better. */
  onDropped: (entries: readonly NewEvent[], afterMs: number) => void;
  /** Nothing waits: the store knows as much as whoever gave it events. */
  onIdle: () => void;
};

const maxPerCommit = 500;
const firstRetryMs = 1000;
const maxRetryMs = 30_000;
/** When a lane is tried again whose events alone are refused. */
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
    // A long turn that is said at once may be more than that, and is written in a moment.
    if (!this.#failing) void this.write();
    else if (this.#isFull) this.#dropAll();
  }

  /** One at a time; whoever comes while it goes on waits for the same one, which takes theirs, too. */
  write(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  /** Writes what is still to be written, if it can be. */
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
    // What is said in the same breath goes together.
    await null;
    while (this.#queue.length > 0 && !this.#failing) await this.#writeBatch(this.#nextBatch());
    if (this.#queue.length === 0) this.#listeners.onIdle();
    // In the same moment as the last look at the queue: what is said from now on starts anew.
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

  /** What waits of one lane more. A long turn of a lane whose events are refused may be all that is in a batch. */
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

  /** What the store takes of no lane is not the fault of a lane. */
  async #writeLaneByLane(lanes: readonly NewEvent[][]): Promise<void> {
    const refused: { entries: NewEvent[]; error: unknown }[] = [];
    for (const entries of lanes) {
      await this.#append(entries).catch((error: unknown) => refused.push({ entries, error }));
    }
    // Of a lane that has only deltas nothing is written.
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

  /** Everything that waits, of all lanes that it is of. */
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

/** Those of each lane in their order. */
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

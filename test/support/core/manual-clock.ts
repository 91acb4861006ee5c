/** A clock that a test advances by hand. Everything that becomes due runs in order and is awaited. */
import type { Clock } from "../../../src/platform/clock.ts";

type Timer = { at: number; order: number; wake: () => void };

export class ManualClock implements Clock {
  #now: number;
  readonly #restless: boolean;
  #order = 0;
  #setBackBy = 0;
  readonly #timers = new Set<Timer>();

  /** A restless clock advances by a millisecond on every read, as on a loaded machine. */
  constructor(options: { restless?: boolean } = {}) {
    this.#now = Date.UTC(2026, 0, 1);
    this.#restless = options.restless ?? false;
  }

  now(): number {
    return this.#restless ? this.#now++ : this.#now;
  }

  at(time: number, wake: () => void): () => void {
    const timer = { at: time, order: this.#order++, wake };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** How many timers are set; an idle system has none. */
  get pending(): number {
    return this.#timers.size;
  }

  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await settled();
    for (let next = this.#next(); next && next.at <= end; next = this.#next()) await this.#run(next);
    this.#now = end;
    await settled();
  }

  /** Sets the clock, as a person might between two runs of Waybill. No timer may be pending. */
  setBack(ms: number): void {
    if (this.pending > 0) throw new Error("something still waits for this clock");
    this.#now -= ms;
    this.#setBackBy += ms;
  }

  /** The time of a program whose own clock is never set. */
  get steady(): Clock {
    return {
      now: () => this.now() + this.#setBackBy,
      at: (time, wake) => this.at(time - this.#setBackBy, wake),
    };
  }

  /** Runs timers until `done` holds; fails after `limitMs` of this clock's time. */
  async until(done: () => boolean | Promise<boolean>, limitMs = 24 * 3600_000): Promise<void> {
    const end = this.#now + limitMs;
    await settled();
    while (!(await done())) {
      const next = this.#next();
      if (!next) throw new Error("nothing is left to happen, and it has not happened");
      if (next.at > end) throw new Error(`it has not happened within ${limitMs} ms`);
      await this.#run(next);
    }
  }

  #next(): Timer | undefined {
    return [...this.#timers].sort((one, other) => one.at - other.at || one.order - other.order)[0];
  }

  async #run(timer: Timer): Promise<void> {
    this.#timers.delete(timer);
    this.#now = Math.max(this.#now, timer.at);
    timer.wake();
    await settled();
  }
}

/** Runs everything that does not wait for a timer: promises, and the store's commits, one per event-loop turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 25; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * While no events arrive, polls the sessions that may be busy every two seconds, to notice the end of a turn and
 * pending asks. No timer runs while no session is busy.
 */
import type { Clock } from "../../../platform/clock.ts";

const intervalMs = 2000;

export type BusyPollingOptions = { clock: Clock; onPoll: (sessionId: string) => void };

export class BusyPolling {
  readonly #options: BusyPollingOptions;
  readonly #busy = new Set<string>();
  #isLive = false;
  #closed = false;
  #cancel: (() => void) | null = null;

  constructor(options: BusyPollingOptions) {
    this.#options = options;
  }

  /** Call this at every read, even a failed one: a session that is not known to be idle may be busy. */
  mark(sessionId: string, status: "busy" | "idle"): void {
    if (status === "busy") this.#busy.add(sessionId);
    else this.#busy.delete(sessionId);
    this.#schedule();
  }

  /** Whether events arrive. */
  setLive(live: boolean): void {
    this.#isLive = live;
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    this.#schedule();
  }

  #schedule(): void {
    const { clock } = this.#options;
    if (this.#closed || this.#isLive || this.#busy.size === 0) {
      this.#cancel?.();
      this.#cancel = null;
    } else this.#cancel ??= clock.at(clock.now() + intervalMs, () => this.#poll());
  }

  /** A read that finds a session busy marks it again; a session that no delivery waits for is not read. */
  #poll(): void {
    this.#cancel = null;
    const due = [...this.#busy];
    this.#busy.clear();
    for (const sessionId of due) this.#options.onPoll(sessionId);
  }
}

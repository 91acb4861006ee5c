/**
 * While no events come, sessions that may be at work are looked at every two seconds, so that a turn's end and a
 * pending ask are found as if there were events. Whoever looks says what it saw; without a busy session no timer runs.
 */
import type { Clock } from "../../../clock.ts";

export type BusyPollingOptions = { clock: Clock; look: (sessionId: string) => void; everyMs?: number };

export class BusyPolling {
  readonly #options: BusyPollingOptions;
  readonly #busy = new Set<string>();
  #eventsCome = false;
  #closed = false;
  #cancel: (() => void) | null = null;

  constructor(options: BusyPollingOptions) {
    this.#options = options;
  }

  /** To be said at every look, also at one that failed: what is not known to rest may be at work. */
  saw(sessionId: string, state: "busy" | "resting"): void {
    if (state === "busy") this.#busy.add(sessionId);
    else this.#busy.delete(sessionId);
    this.#arm();
  }

  eventsCome(live: boolean): void {
    this.#eventsCome = live;
    this.#arm();
  }

  close(): void {
    this.#closed = true;
    this.#arm();
  }

  #arm(): void {
    const { clock, everyMs = 2000 } = this.#options;
    const wanted = !this.#closed && !this.#eventsCome && this.#busy.size > 0;
    if (!wanted) {
      this.#cancel?.();
      this.#cancel = null;
      return;
    }
    this.#cancel ??= clock.at(clock.now() + everyMs, () => this.#inspectAll());
  }

  /** A look that still finds a session busy says so again; nobody looks at one that no delivery waits for. */
  #inspectAll(): void {
    this.#cancel = null;
    const due = [...this.#busy];
    this.#busy.clear();
    for (const sessionId of due) this.#options.look(sessionId);
  }
}

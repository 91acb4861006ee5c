/** The signals that stop a process: the first asks it to drain, the second to stop now. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export class StopRequests {
  readonly #listeners = new Set<() => void>();
  readonly #first = new AbortController();

  /** Starts listening immediately: otherwise a signal would kill the process mid-work. */
  constructor() {
    for (const signal of signals) process.on(signal, this.#onSignal);
  }

  /** Aborted by the first request. */
  get requested(): AbortSignal {
    return this.#first.signal;
  }

  /** For every request from now on. */
  onRequest(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    for (const signal of signals) process.removeListener(signal, this.#onSignal);
    this.#listeners.clear();
  }

  readonly #onSignal = (): void => {
    this.#first.abort();
    for (const listener of this.#listeners) listener();
  };
}

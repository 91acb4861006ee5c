/** The signals that ask a process to stop: the first asks it to drain, the second to stop now. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export class StopRequests {
  readonly #listeners = new Set<() => void>();
  readonly #first = new AbortController();

  /** Listens at once: otherwise a signal would end the process in the middle of its work. */
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

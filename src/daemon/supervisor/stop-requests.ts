/** The signals that ask a process to stop. Each one counts: the first asks, the second hurries. */
const signals = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

export class StopRequests {
  readonly #listeners = new Set<() => void>();
  #asked = false;

  /** Listens from here on: without that, a signal would end the process in the middle of what it does. */
  constructor() {
    for (const signal of signals) process.on(signal, this.#onSignal);
  }

  get asked(): boolean {
    return this.#asked;
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
    this.#asked = true;
    for (const listener of this.#listeners) listener();
  };
}

/**
 * The queue of one reader of a live stream. One more reader costs one push per item. A reader that falls behind loses
 * what is queued and has to read the store again.
 */
export type QueueLimits = { items?: number; characters?: number };

export class LiveQueue<T> {
  /** How many batches were published, including empty ones. */
  batches = 0;
  protected waiting: T[] = [];
  readonly #signal: AbortSignal;
  readonly #lengthOf: (item: T) => number;
  readonly #limits: Required<QueueLimits>;
  #characters = 0;
  #isLive = false;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal, lengthOf: (item: T) => number, limits: QueueLimits = {}) {
    this.#signal = signal;
    this.#lengthOf = lengthOf;
    this.#limits = { items: 1000, characters: 4 * 1024 * 1024, ...limits };
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = () => {
    this.stop();
    this.#wake();
  };

  get isLive(): boolean {
    return this.#isLive;
  }

  push(items: readonly T[]): void {
    this.batches += 1;
    for (const item of items) {
      this.waiting.push(item);
      this.#characters += this.#lengthOf(item);
    }
    if (this.waiting.length > this.#limits.items || this.#characters > this.#limits.characters) this.stop();
    this.#wake();
  }

  start(): void {
    this.#isLive = true;
  }

  stop(): void {
    this.#isLive = false;
    this.waiting = [];
    this.#characters = 0;
  }

  /** Yields until the reader falls behind or its signal is aborted. */
  async *read(): AsyncGenerator<T> {
    while (this.#isLive && !this.#signal.aborted) {
      const batch = this.waiting;
      this.waiting = [];
      this.#characters = 0;
      for (const item of batch) {
        yield item;
        if (this.#signal.aborted) return;
      }
      if (this.#isLive && this.waiting.length === 0) await this.next(this.batches);
    }
  }

  /** Resolves once more than `seen` batches were published. */
  next(seen: number): Promise<void> {
    if (this.batches !== seen || this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}

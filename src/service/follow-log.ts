/**
 * Follows the log: kept items are read from the store, new ones are taken as they are published, without gaps or
 * repetitions in between. It switches over when the store has shown everything that was published. A slow reader goes
 * back to reading the store, and misses only items that are not kept.
 */
import type { LogFilter, LogItem, LogReset } from "../core/log/log-item.ts";
import { isWanted } from "../core/log/log-item.ts";
import type { LogStore } from "../store/port.ts";

/**
 * The queue of one reader of a live stream. One more reader costs one push per item. A reader that falls behind loses
 * what is queued and has to read the store again.
 */
export type QueueLimits = { items?: number; characters?: number };

/**
 * The queue of one reader of a live stream. One more reader costs one push per item. A reader that falls behind loses
 * what is queued and has to read the store again.
 */
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

export type FollowedItem = LogItem | LogReset;

/** After the cursor `after`, or from now on, until `signal` is aborted. */
export type FollowOptions = LogFilter & { after?: string | undefined; signal: AbortSignal };

/** Few, since a reader that does not read keeps them in memory. */
const pageSize = 20;

export async function* followLog(
  store: Pick<LogStore, "readLog" | "logEnd" | "onLog">,
  { after, lane, types, signal }: FollowOptions,
): AsyncGenerator<FollowedItem> {
  const filter = { lane, types };
  const queue = new LiveQueue<LogItem>(signal, sizeOf);
  const unsubscribe = store.onLog((items) => queue.push(queue.isLive ? wantedOf(items, filter) : []));
  // A reader that disconnected may never ask for the next item, and so never reach the end.
  signal.addEventListener("abort", unsubscribe, { once: true });
  try {
    let cursor = after ?? store.logEnd();
    while (!signal.aborted) {
      if (cursor === store.logEnd()) {
        queue.start();
        for await (const item of queue.read()) {
          yield item;
          cursor = item.cursor ?? cursor;
        }
        if (signal.aborted) return;
      }
      const seen = queue.batches;
      const page = await store.readLog({ ...filter, after: cursor, limit: pageSize });
      if (page.reset) yield page.reset;
      for (const item of page.items) {
        if (signal.aborted) return;
        yield item;
      }
      cursor = page.cursor;
      // An adapter may show items that it has not published yet; they follow in a moment.
      if (page.items.length === 0 && cursor !== store.logEnd()) await queue.next(seen);
    }
  } finally {
    unsubscribe();
    signal.removeEventListener("abort", unsubscribe);
    queue.close();
  }
}

function wantedOf(items: readonly LogItem[], filter: LogFilter): readonly LogItem[] {
  if (filter.lane === undefined && filter.types === undefined) return items;
  return items.filter((item) => isWanted(item, filter));
}

function sizeOf(item: LogItem): number {
  if (item.type === "event") return item.text.length;
  return item.type === "message" ? item.message.text.length : 1000;
}

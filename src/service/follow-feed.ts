/**
 * Follows the feed of a store. What is stored already and what comes later are read in the same way, so nothing is lost
 * between the two. A slow reader reads later; nothing is buffered for it.
 */
import type { FeedItem } from "../core/log/feed-item.ts";
import type { Store } from "../store/port.ts";

/** Small, since a reader that does not read holds a page in memory. */
const pageSize = 20;

export async function* followFeed(
  store: Store,
  { after, lane, signal }: { after?: string | undefined; lane?: string | undefined; signal: AbortSignal },
): AsyncGenerator<FeedItem> {
  const changes = new Changes(store, signal);
  try {
    let cursor = after ?? (await store.feedEnd());
    while (!signal.aborted) {
      const seen = changes.count;
      const page = await store.feed(cursor, pageSize, lane);
      for (const item of page.items) {
        yield item;
        if (signal.aborted) return;
      }
      // The end for now.
      if (page.cursor === cursor) await changes.since(seen);
      cursor = page.cursor;
    }
  } finally {
    changes.close();
  }
}

/** Counts changes, so that one that comes between reading and waiting is not missed. */
class Changes {
  count = 0;
  readonly #signal: AbortSignal;
  readonly #unsubscribe: () => void;
  #wake: () => void = () => {};

  constructor(store: Store, signal: AbortSignal) {
    this.#signal = signal;
    this.#unsubscribe = store.onFeed(() => {
      this.count += 1;
      this.#wake();
    });
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  readonly #onAbort = () => this.#wake();

  since(seen: number): Promise<void> {
    if (this.count !== seen || this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}

/**
 * Follows the feed of a store: what is there already and what comes later take the same way, so nothing can get lost
 * between the two. Whoever reads slowly reads later; nothing is kept for them.
 */
import type { FeedItem } from "../core/log/feed-item.ts";
import type { Store } from "../store/port.ts";

/** Few, since a reader that does not read holds them. */
const atOnce = 20;

export async function* followFeed(
  store: Store,
  { after, lane, signal }: { after?: string | undefined; lane?: string | undefined; signal: AbortSignal },
): AsyncGenerator<FeedItem> {
  const changes = new Changes(store, signal);
  try {
    let cursor = after ?? (await store.feedEnd());
    while (!signal.aborted) {
      const seen = changes.count;
      const page = await store.feed(cursor, atOnce, lane);
      for (const item of page.items) {
        yield item;
        if (signal.aborted) return;
      }
      // Everything that there was; what comes now wakes this one.
      if (page.cursor === cursor) await changes.since(seen);
      cursor = page.cursor;
    }
  } finally {
    changes.close();
  }
}

/** Remembers that something happened, also while nobody waits for it. */
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

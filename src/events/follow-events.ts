/**
 * Follows the events of all lanes, or of one: those that are kept from the store, those that happen as they are published,
 * with nothing left out and nothing repeated in between. It changes over at a moment at which the store has shown
 * everything that was published. Whoever reads slowly goes back to reading the store, and misses deltas only.
 */
import type { Store } from "../store/port.ts";
import type { PublishedEvent } from "./event-writer.ts";
import type { Recorder } from "./recorder.ts";

export type FollowedEvent =
  /** Some of what came after the cursor is not kept any more. */
  | { type: "reset"; cursor: string }
  /** `cursor` is null for a delta: it cannot be gone on from. */
  | ({ type: "event" } & PublishedEvent);

export type FollowOptions = { after?: string | undefined; lane?: string | undefined; signal: AbortSignal };

/** Few, since a reader that does not read holds them. */
const pageSize = 20;
/** What may wait for a reader before that counts as slow. The texts are shared between readers. */
const maxWaiting = 1000;
const maxCharacters = 4 * 1024 * 1024;

type Source = { store: Store; recorder: Pick<Recorder, "newest" | "onEvents"> };

export async function* followEvents(
  { store, recorder }: Source,
  { after, lane, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent> {
  const queue = new LiveQueue(recorder, lane, signal);
  try {
    let cursor = after ?? recorder.newest;
    while (!signal.aborted) {
      if (cursor === recorder.newest) {
        for await (const published of queue.live()) {
          yield { type: "event", ...published };
          cursor = published.cursor ?? cursor;
        }
        // The cursor of a lane stands still while others go on.
        if (signal.aborted) return;
      }
      const seen = queue.batches;
      const page = await store.events({ after: cursor, lane, limit: pageSize });
      if (page.reset !== null) yield { type: "reset", cursor: page.reset };
      for (const stored of page.events) {
        if (signal.aborted) return;
        yield { type: "event", ...stored };
      }
      cursor = page.cursor;
      // The store is ahead of what was published; that will be published in a moment.
      if (page.events.length === 0 && cursor !== recorder.newest) await queue.next(seen);
    }
  } finally {
    queue.close();
  }
}

/** What was published while the reader keeps up. All that one more reader costs is a push. */
class LiveQueue {
  /** How many batches were published. */
  batches = 0;
  readonly #lane: string | undefined;
  readonly #signal: AbortSignal;
  readonly #unsubscribe: () => void;
  #waiting: PublishedEvent[] = [];
  #characters = 0;
  #isLive = false;
  #wake: () => void = () => {};

  constructor(recorder: Source["recorder"], lane: string | undefined, signal: AbortSignal) {
    this.#lane = lane;
    this.#signal = signal;
    this.#unsubscribe = recorder.onEvents((published) => this.#push(published));
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** A reader that has gone may never ask for the next one, and so never come to its end. */
  readonly #onAbort = () => {
    this.close();
    this.#goBack();
    this.#wake();
  };

  #push(published: readonly PublishedEvent[]): void {
    this.batches += 1;
    if (this.#isLive) {
      for (const one of published) {
        if (this.#lane !== undefined && one.event.lane !== this.#lane) continue;
        this.#waiting.push(one);
        this.#characters += one.text.length;
      }
      if (this.#waiting.length > maxWaiting || this.#characters > maxCharacters) this.#goBack();
    }
    this.#wake();
  }

  #goBack(): void {
    this.#isLive = false;
    this.#waiting = [];
    this.#characters = 0;
  }

  /** From this very moment on, until the reader is too slow or wants no more. */
  live(): AsyncGenerator<PublishedEvent> {
    this.#isLive = true;
    return this.#drain();
  }

  async *#drain(): AsyncGenerator<PublishedEvent> {
    while (this.#isLive && !this.#signal.aborted) {
      const batch = this.#waiting;
      this.#waiting = [];
      this.#characters = 0;
      for (const one of batch) {
        yield one;
        if (this.#signal.aborted) return;
      }
      if (this.#isLive && this.#waiting.length === 0) await this.next(this.batches);
    }
  }

  next(seen: number): Promise<void> {
    if (this.batches !== seen || this.#signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  close(): void {
    this.#unsubscribe();
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}

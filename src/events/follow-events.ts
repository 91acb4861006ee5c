/**
 * Follows the events of all lanes, or of one: those that are kept from the store, those that happen as they are published,
 * with nothing left out and nothing repeated in between. It changes over at a moment at which the store has shown
 * everything that was published. Whoever reads slowly goes back to reading the store, and misses deltas only.
 */
import { LiveQueue } from "../live-queue.ts";
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

type Source = { store: Store; recorder: Pick<Recorder, "newest" | "onEvents"> };

export async function* followEvents(
  { store, recorder }: Source,
  { after, lane, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent> {
  const queue = new LiveQueue<PublishedEvent>(signal, ({ text }) => text.length);
  const isWanted = ({ event }: PublishedEvent) => lane === undefined || event.lane === lane;
  const unsubscribe = recorder.onEvents((events) => queue.push(queue.isLive ? events.filter(isWanted) : []));
  // A reader that has gone may never ask for the next event, and so never come to its end.
  signal.addEventListener("abort", unsubscribe, { once: true });
  try {
    let cursor = after ?? recorder.newest;
    while (!signal.aborted) {
      if (cursor === recorder.newest) {
        queue.start();
        for await (const published of queue.read()) {
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
    unsubscribe();
    signal.removeEventListener("abort", unsubscribe);
    queue.close();
  }
}

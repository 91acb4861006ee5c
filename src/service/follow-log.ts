/**
 * Follows the log: kept items are read from the store, new ones are taken as they are published, without gaps or
 * repetitions in between. It switches over when the store has shown everything that was published. A slow reader goes
 * back to reading the store, and misses only items that are not kept.
 */
import type { LogFilter, LogItem, LogReset } from "../core/log/log-item.ts";
import { isWanted } from "../core/log/log-item.ts";
import type { LogStore } from "../store/port.ts";
import { LiveQueue } from "./live-queue.ts";

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

/**
 * The stream of one client: first what it missed, read from the store and translated for it alone, then live what is
 * translated once for all. It changes over when both have come to the same event. A client that reads slowly goes back to
 * the store, and misses only what is published live only.
 */
import type { Lane } from "../../../core/lane/lane.ts";
import type { Service } from "../../../service/service.ts";
import type { TranslatorDeps } from "./event-translator.ts";
import { EventTranslator } from "./event-translator.ts";
import type { SseFrame } from "./frame.ts";
import type { FrameQueue } from "./frame-queue.ts";
import { disposedFrames, framesOf, laneFrame } from "./make-frames.ts";
import type { StreamCursor } from "./stream-cursor.ts";

export type FrameSource = {
  service: Pick<Service, "events" | "feed" | "lanes"> & TranslatorDeps["service"];
  translation: TranslatorDeps;
  queue: FrameQueue;
  /** How far live clients have come. */
  liveCursor: () => StreamCursor;
  previousLane: (laneId: string) => Lane | null;
  now: () => number;
  signal: AbortSignal;
};

/** Few, since a client that does not read holds them. */
const pageSize = 20;

/** `snapshot` is what the client gets first, or null for one that resumes. */
type StreamStart = { from: StreamCursor; snapshot: Iterable<SseFrame> | null };

export async function* followFrames(source: FrameSource, { from, snapshot }: StreamStart): AsyncGenerator<SseFrame> {
  const { queue, liveCursor, signal } = source;
  /** Changes of lanes that were read, and may come live as well. */
  const readIds = new Set<string>();
  let at = from;
  let knowsLanes = snapshot !== null;
  let translator: EventTranslator | null = null;
  for (const frame of snapshot ?? []) {
    if (signal.aborted) return;
    yield frame;
  }
  while (!signal.aborted) {
    if (!knowsLanes) {
      knowsLanes = true;
      for await (const frame of missedLaneChanges(source, at)) {
        readIds.add(frame.id);
        at = frame.at;
        if (queue.wants(frame)) yield frame;
      }
    }
    if (queue.isLive || (at.events === liveCursor().events && at.seen === 0)) {
      translator = null;
      for await (const frame of queue.readFrom(at)) {
        at = frame.at;
        if (!readIds.delete(frame.id)) yield frame;
      }
    }
    if (queue.overflowed) {
      queue.overflowed = false;
      knowsLanes = false;
      continue;
    }
    const seen = queue.batches;
    translator ??= new EventTranslator(source.translation, { withDeltas: false });
    const before = at.events;
    for await (const { frame, cursor } of missedEvents(source, translator, at)) {
      if (signal.aborted) return;
      at = cursor;
      if (frame && queue.wants(frame)) yield frame;
    }
    // The store is ahead of what was published live; that will be published in a moment.
    if (at.events === before && at.events !== liveCursor().events) await queue.next(seen);
  }
}

type Missed = { frame: SseFrame | null; cursor: StreamCursor };

/** One page. */
async function* missedEvents(
  source: FrameSource,
  translator: EventTranslator,
  from: StreamCursor,
): AsyncGenerator<Missed> {
  const page = await source.service.events({ after: from.events, limit: pageSize });
  let at = from;
  if (page.reset !== null) {
    at = { ...from, events: page.reset, seen: 0 };
    translator.reset();
    for (const frame of await disposed(source, at)) yield { frame, cursor: at };
  }
  for (const { event, cursor } of page.events) {
    const after = { ...at, events: cursor, seen: 0 };
    const frames = framesOf(await translator.translate(event), { ...at, seen: 0 }, after);
    for (const frame of frames.slice(at.seen)) yield { frame, cursor: frame.at };
    at = after;
  }
  yield { frame: null, cursor: { ...at, events: page.cursor, seen: 0 } };
}

/** Up to now. */
async function* missedLaneChanges(source: FrameSource, from: StreamCursor): AsyncGenerator<SseFrame> {
  let feed = from.feed;
  for (;;) {
    const page = await source.service.feed(feed, 200);
    for (const item of page.items) {
      if (item.type === "lane") {
        const previous = { lane: source.previousLane(item.laneId ?? ""), isKnown: true };
        yield await laneFrame(item, from, source.translation, previous);
      }
      if (item.type === "reset") yield* await disposed(source, { ...from, feed: item.cursor });
    }
    if (page.cursor === feed) return;
    feed = page.cursor;
  }
}

async function disposed({ service, now }: FrameSource, at: StreamCursor): Promise<SseFrame[]> {
  const directories = (await service.lanes()).map(({ lane }) => lane.directory);
  return disposedFrames(at, directories, now());
}

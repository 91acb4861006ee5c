/**
 * The stream of one client: first the events it missed, read from the log and translated for it alone, then the live
 * events that are translated once for all. It switches when both have reached the same item. A slow client falls back
 * to the log, and misses only live-only events.
 */
import type { Lane } from "../../../core/lane/lane.ts";
import type { LogType } from "../../../core/log/log-item.ts";
import { universalEventTypes } from "../../../core/turn/universal-event.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Service } from "../../../service/service.ts";
import type { TranslatorDeps } from "./event-translator.ts";
import { EventTranslator } from "./event-translator.ts";
import type { FrameQueue, SseFrame, StreamCursor } from "./frames.ts";
import { disposedFrames, framesOf, isLaneItem, laneFrame } from "./frames.ts";

/** The log types that translate to OpenCode's events. */
const translatedTypes: readonly LogType[] = [...universalEventTypes, "lane"];

export type FrameSource = {
  deps: TranslatorDeps & { service: Pick<Service, "log" | "lanes">; clock: Clock };
  queue: FrameQueue;
  /** The position of live clients. */
  liveCursor: () => StreamCursor;
  previousLane: (laneId: string) => Lane | null;
  signal: AbortSignal;
};

/** Small, because a client that does not read keeps them in memory. */
const pageSize = 20;

/** `snapshot` is sent first; null for a client that resumes. */
type StreamStart = { from: StreamCursor; snapshot: Iterable<SseFrame> | null };

export async function* followFrames(source: FrameSource, { from, snapshot }: StreamStart): AsyncGenerator<SseFrame> {
  const { queue, liveCursor, signal } = source;
  let at = from;
  let translator: EventTranslator | null = null;
  for (const frame of snapshot ?? []) {
    if (signal.aborted) return;
    yield frame;
  }
  while (!signal.aborted) {
    if (queue.isLive || (at.log === liveCursor().log && at.seen === 0)) {
      translator = null;
      queue.start();
      for await (const frame of queue.read()) {
        at = frame.at;
        yield frame;
      }
    }
    const seen = queue.batches;
    translator ??= new EventTranslator(source.deps, { withDeltas: false });
    const before = at.log;
    for await (const { frame, cursor } of missedFrames(source, translator, at)) {
      if (signal.aborted) return;
      at = cursor;
      if (frame && queue.wants(frame)) yield frame;
    }
    // The log is ahead of the live stream, which will catch up in a moment.
    if (at.log === before && at.log !== liveCursor().log) await queue.next(seen);
  }
}

type Missed = { frame: SseFrame | null; cursor: StreamCursor };

/** One page. */
async function* missedFrames(
  source: FrameSource,
  translator: EventTranslator,
  from: StreamCursor,
): AsyncGenerator<Missed> {
  const page = await source.deps.service.log({ after: from.log, types: translatedTypes, limit: pageSize });
  let at = from;
  if (page.reset) {
    at = { log: page.reset.cursor, seen: 0 };
    translator.reset();
    for (const frame of await disposed(source, at)) yield { frame, cursor: at };
  }
  for (const item of page.items) {
    const after = { log: item.cursor ?? at.log, seen: 0 };
    if (isLaneItem(item)) {
      const previous = { lane: source.previousLane(item.laneId), isKnown: true };
      yield { frame: await laneFrame(item, source.deps, previous), cursor: after };
    } else if (item.type === "event") {
      const frames = framesOf(await translator.translate(item.event), { ...at, seen: 0 }, after);
      for (const frame of frames.slice(at.seen)) yield { frame, cursor: frame.at };
    }
    at = after;
  }
  yield { frame: null, cursor: { log: page.cursor, seen: 0 } };
}

async function disposed({ deps: { service, clock } }: FrameSource, at: StreamCursor): Promise<SseFrame[]> {
  const directories = (await service.lanes()).map(({ lane }) => lane.directory);
  return disposedFrames(at, directories, clock.now());
}

/**
 * The stream of one client: what it missed from the store, translated for it alone, then what happens, translated for
 * all. It changes over at a moment at which both have come to the same event. Whoever reads slowly goes back to the
 * store, and misses only what is told live only.
 */
import type { Lane } from "../../../core/lane/lane.ts";
import type { Service } from "../../../service/service.ts";
import type { Line } from "./frame.ts";
import type { LineInbox } from "./frame-queue.ts";
import { disposedLines, laneLine, linesOf } from "./frames-of.ts";
import type { Position } from "./position.ts";
import type { TranslatorDeps } from "./translator.ts";
import { Translator } from "./translator.ts";

export type LinesSource = {
  service: Pick<Service, "events" | "feed" | "lanes"> & TranslatorDeps["service"];
  translation: TranslatorDeps;
  inbox: LineInbox;
  /** Where those who are live stand. */
  reached: () => Position;
  /** The last that was heard of a lane. */
  laneBefore: (laneId: string) => Lane | null;
  now: () => number;
  signal: AbortSignal;
};

/** Few, since a client that does not read holds them. */
const atOnce = 20;

/** Where a client begins; `present` is what it is told first, or null for one that goes on where it was. */
export type Beginning = { from: Position; present: Iterable<Line> | null };

export async function* followLines(source: LinesSource, { from, present }: Beginning): AsyncGenerator<Line> {
  const { inbox, reached, signal } = source;
  /** Lines about lanes that were read, and may be heard as well. */
  const told = new Set<string>();
  let at = from;
  let knowsLanes = present !== null;
  let translator: Translator | null = null;
  for (const line of present ?? []) {
    if (signal.aborted) return;
    yield line;
  }
  while (!signal.aborted) {
    if (!knowsLanes) {
      knowsLanes = true;
      for await (const line of missedOfLanes(source, at)) {
        told.add(line.id);
        at = line.at;
        if (inbox.wants(line)) yield line;
      }
    }
    if (inbox.isLive || (at.events === reached().events && at.seen === 0)) {
      translator = null;
      for await (const line of inbox.live(at)) {
        at = line.at;
        if (!told.delete(line.id)) yield line;
      }
    }
    if (inbox.overflowed) {
      inbox.overflowed = false;
      knowsLanes = false;
      continue;
    }
    const seen = inbox.rounds;
    translator ??= new Translator(source.translation, { hearsDeltas: false });
    const before = at.events;
    for await (const { line, position } of missed(source, translator, at)) {
      if (signal.aborted) return;
      at = position;
      if (line && inbox.wants(line)) yield line;
    }
    // The store is ahead of what was told live; that will be told in a moment.
    if (at.events === before && at.events !== reached().events) await inbox.next(seen);
  }
}

type Missed = { line: Line | null; position: Position };

/** A page of events. */
async function* missed(source: LinesSource, translator: Translator, from: Position): AsyncGenerator<Missed> {
  const page = await source.service.events({ after: from.events, limit: atOnce });
  let at = from;
  if (page.reset !== null) {
    at = { ...from, events: page.reset, seen: 0 };
    translator.forget();
    for (const line of await disposed(source, at)) yield { line, position: at };
  }
  for (const { event, cursor } of page.events) {
    const after = { ...at, events: cursor, seen: 0 };
    const lines = linesOf(await translator.translate(event), { ...at, seen: 0 }, after);
    for (const line of lines.slice(at.seen)) yield { line, position: line.at };
    at = after;
  }
  yield { line: null, position: { ...at, events: page.cursor, seen: 0 } };
}

/** Everything that happened to lanes up to now. */
async function* missedOfLanes(source: LinesSource, from: Position): AsyncGenerator<Line> {
  let feed = from.feed;
  for (;;) {
    const page = await source.service.feed(feed, 200);
    for (const item of page.items) {
      if (item.type === "lane") {
        const before = { lane: source.laneBefore(item.laneId ?? ""), isKnown: true };
        yield await laneLine(item, from, source.translation, before);
      }
      if (item.type === "reset") yield* await disposed(source, { ...from, feed: item.cursor });
    }
    if (page.cursor === feed) return;
    feed = page.cursor;
  }
}

async function disposed({ service, now }: LinesSource, at: Position): Promise<Line[]> {
  const directories = (await service.lanes()).map(({ lane }) => lane.directory);
  return disposedLines(at, directories, now());
}

/**
 * Turns what lanes do into OpenCode's events for any number of clients: translated and made into text once, then handed
 * to each as the same string. It works while somebody follows or waits, and for a while after that; without clients it
 * costs nothing.
 */
import { setMaxListeners } from "node:events";
import type { Clock } from "../../../clock.ts";
import type { FollowedEvent, Service } from "../../../service/service.ts";
import { laneOf } from "../ids.ts";
import type { Emitted, MessageRow } from "../projection/session-projection.ts";
import type { LinesSource } from "./follow-frames.ts";
import { followLines } from "./follow-frames.ts";
import type { Line } from "./frame.ts";
import type { InboxLimits } from "./frame-queue.ts";
import { LineInbox } from "./frame-queue.ts";
import { disposedLines, laneLine, linesOf, passingLine, stateLines } from "./frames-of.ts";
import { KnownLanes } from "./known-lanes.ts";
import type { Position } from "./position.ts";
import { positionFrom } from "./position.ts";
import type { Working } from "./snapshot-lanes.ts";
import { lanesOfNow, makeKnown, presentOf, thatMayWork, wantedLanes, workingOf } from "./snapshot-lanes.ts";
import type { TranslatorDeps } from "./translator.ts";
import { laneOrNull, Translator } from "./translator.ts";
import type { TurnEnd } from "./turn-end.ts";
import type { TurnWanted } from "./turn-waiter.ts";
import { TurnWaiter } from "./turn-waiter.ts";

export type HubDeps = Omit<TranslatorDeps, "service"> & {
  service: Service;
  clock: Clock;
  /** How long it goes on when nobody follows any more. */
  lingerMs?: number;
  inbox?: InboxLimits;
};

/** `lines` begin after `from`, or now; `tellsState` when how things stand now comes first, and ends with an id. */
export type Following = { from: Position; tellsState: boolean; lines: AsyncGenerator<Line> };

type Run = {
  stop: AbortController;
  translator: Translator;
  position: Position;
  lanes: KnownLanes;
  /** What events are told in, one after the other, and what has to happen between two of them. */
  busy: Promise<unknown>;
};

export class EventHub {
  readonly #deps: HubDeps;
  readonly #waiter: TurnWaiter;
  readonly #inboxes = new Set<LineInbox>();
  readonly #closings = new WeakSet<AbortSignal>();
  #starting: Promise<Run> | null = null;
  #usedAt = 0;
  #isClosed = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#waiter = new TurnWaiter(deps.service);
  }

  /** Throws when `after` is no id of an event of this stream. `withState` is for those who say no `after`. */
  async follow(options: {
    after?: string | undefined;
    directory?: string | undefined;
    withState?: boolean;
    signal: AbortSignal;
  }): Promise<Following> {
    const { clock, inbox: limits } = this.#deps;
    const wanted = options.after === undefined ? null : await this.#known(options.after);
    const run = await this.#running();
    const { signal } = endedBy(options.signal, run.stop.signal);
    const inbox = new LineInbox(options.directory, signal, limits);
    const leave = () => {
      inbox.close();
      this.#inboxes.delete(inbox);
      this.#usedAt = clock.now();
    };
    this.#inboxes.add(inbox);
    // Whoever has gone may never ask for the next line, and so never come to the end.
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    const source = this.#sourceFor(run, inbox, signal);
    if (wanted) return { from: wanted, tellsState: false, lines: followLines(source, { from: wanted, present: null }) };
    try {
      return await this.#beginNow(run, inbox, source, options.withState === true);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** State, position and the first event that waits for the client belong to the same moment. */
  async #beginNow(run: Run, inbox: LineInbox, source: LinesSource, withState: boolean): Promise<Following> {
    const all = withState ? await wantedLanes(this.#deps, run.lanes) : [];
    const lanes = all.filter(({ lane }) => inbox.wants(lane));
    return this.#alone(run, async () => {
      await makeKnown(this.#deps, run.translator, lanes, run.position.events);
      const [from, now] = [run.position, this.#deps.clock.now()];
      const present = presentOf(run.translator, lanes, now);
      inbox.begin();
      const lines = followLines(source, { from, present: stateLines(from, now, present) });
      return { from, tellsState: present.length > 0, lines };
    });
  }

  #sourceFor(run: Run, inbox: LineInbox, signal: AbortSignal): LinesSource {
    const { service, clock } = this.#deps;
    return {
      service,
      translation: this.#deps,
      inbox,
      reached: () => run.position,
      laneBefore: (laneId) => run.lanes.before(laneId).lane,
      now: () => clock.now(),
      signal,
    };
  }

  /** As they are told live, with what has only come as deltas; none of a lane that was not heard of. */
  async liveMessages(sessionID: string): Promise<readonly MessageRow[]> {
    const { translator } = await this.#running();
    const lane = laneOf(sessionID);
    return lane ? translator.messages(lane.lane, sessionID) : [];
  }

  /** The sessions that do not rest, as whoever follows was told. */
  async working(): Promise<Working[]> {
    const run = await this.#running();
    const states = await lanesOfNow(this.#deps, run.lanes);
    return this.#alone(run, async () => {
      const open = await thatMayWork(this.#deps, run.translator, states);
      await makeKnown(this.#deps, run.translator, open, run.position.events);
      return states.flatMap((state) => workingOf(run.translator, state));
    });
  }

  /** Resolves when the turn that answers the message is over and told, or its delivery ended without one. */
  async turnEnd(wanted: TurnWanted): Promise<TurnEnd> {
    await this.#running();
    return this.#waiter.end(wanted);
  }

  /** Tells those who are there, and keeps nothing of it. */
  async tellInPassing(emitted: Emitted): Promise<void> {
    if (this.#inboxes.size === 0) return;
    const run = await this.#running();
    await this.#alone(run, async () => this.#tell([passingLine(run.position, this.#deps.clock.now(), emitted)]));
  }

  /** What it runs on is gone once this is aborted. */
  endWith(closing: AbortSignal): void {
    if (this.#closings.has(closing)) return;
    this.#closings.add(closing);
    if (closing.aborted) this.close();
    else closing.addEventListener("abort", () => this.close(), { once: true });
  }

  close(): void {
    this.#isClosed = true;
    this.#starting?.then(
      ({ stop }) => stop.abort(),
      // Whoever wanted it has been told.
      () => {},
    );
  }

  async #known(after: string): Promise<Position> {
    const { service } = this.#deps;
    const position = positionFrom(after);
    await service.events({ after: position.events, limit: 1 });
    await service.checkCursor(position.feed);
    return position;
  }

  async #running(): Promise<Run> {
    this.#usedAt = this.#deps.clock.now();
    this.#starting ??= this.#start().catch((error: unknown) => {
      this.#starting = null;
      throw error;
    });
    return this.#starting;
  }

  async #start(): Promise<Run> {
    const { service } = this.#deps;
    const stop = new AbortController();
    // Every client listens to it.
    setMaxListeners(0, stop.signal);
    const feed = await service.now();
    // After that, so that none is missed that is made meanwhile.
    const lanes = new KnownLanes((await service.lanes()).map(({ lane }) => lane));
    const position = { events: await service.eventsEnd(), seen: 0, feed };
    const translator = new Translator(this.#deps, { hearsDeltas: true });
    const run: Run = { stop, translator, position, lanes, busy: Promise.resolve() };
    stop.signal.addEventListener("abort", () => lanes.wake(), { once: true });
    if (this.#isClosed) stop.abort();
    void this.#watched(run, this.#followEvents(run));
    void this.#watched(run, this.#followLanes(run));
    return run;
  }

  /** When one of the two cannot go on, those who are there are let go; a new run begins with the next who comes. */
  async #watched(run: Run, following: Promise<void>): Promise<void> {
    try {
      await following;
    } catch (error) {
      if (!run.stop.signal.aborted) {
        this.#deps.report(error);
        this.#waiter.fail(error);
      }
    }
    this.#end(run);
  }

  #end({ stop }: Run): void {
    if (stop.signal.aborted) return;
    stop.abort();
    this.#starting = null;
  }

  async #followEvents(run: Run): Promise<void> {
    const { signal } = run.stop;
    for await (const item of this.#deps.service.followEvents({ after: run.position.events, signal })) {
      if (this.#isIdle) return this.#end(run);
      await this.#alone(run, async () => {
        if (item.type === "event") await this.#tellEvent(run, item);
        else this.#reset(run, item.cursor);
      });
    }
  }

  #alone<T>(run: Run, work: () => Promise<T>): Promise<T> {
    const done = run.busy.then(work);
    run.busy = done.catch(() => {});
    return done;
  }

  async #tellEvent(run: Run, { event, cursor }: FollowedEvent & { type: "event" }): Promise<void> {
    await this.#laneTold(run, event.lane);
    const translation = await run.translator.translate(event);
    run.lanes.heard(event.lane, this.#deps.clock.now());
    const before = run.position;
    run.position = { ...before, events: cursor ?? before.events };
    this.#tell(linesOf(translation, before, run.position));
    this.#waiter.hear(event);
  }

  /** A session is made before anything happens in it. */
  async #laneTold(run: Run, laneId: string): Promise<void> {
    const { lanes, stop } = run;
    const { service } = this.#deps;
    if (lanes.has(laneId) || !(await laneOrNull(service, laneId))) return;
    while (!lanes.has(laneId) && !stop.signal.aborted) {
      const next = lanes.woken();
      const { items } = await service.feed(run.position.feed, 20);
      if (items.length === 0) return;
      await next;
    }
  }

  async #followLanes(run: Run): Promise<void> {
    const { signal } = run.stop;
    for await (const item of this.#deps.service.follow({ after: run.position.feed, signal })) {
      if (item.type === "lane" && item.laneId !== null) {
        const { laneId, lane } = item;
        const line = await laneLine(item, run.position, this.#deps, run.lanes.before(laneId));
        run.translator.changed(laneId, lane);
        run.lanes.changed(laneId, lane);
        // Where the others are by now: events may have been told meanwhile.
        run.position = { ...run.position, feed: item.cursor };
        this.#tell([line.toldAt(run.position)]);
      }
      run.position = { ...run.position, feed: item.cursor };
      run.lanes.wake();
    }
  }

  /** What was missed cannot be told, only that it was. */
  #reset(run: Run, cursor: string): void {
    run.position = { ...run.position, events: cursor };
    run.translator.forget();
    this.#tell(disposedLines(run.position, run.lanes.directories, this.#deps.clock.now()));
  }

  #tell(lines: readonly Line[]): void {
    for (const inbox of this.#inboxes) inbox.push(lines);
  }

  get #isIdle(): boolean {
    const { clock, lingerMs = 60_000 } = this.#deps;
    if (this.#inboxes.size > 0 || this.#waiter.waiting > 0) return false;
    return clock.now() - this.#usedAt > lingerMs;
  }
}

/** Not `AbortSignal.any`, which holds on to what it made for as long as one of them lives. */
function endedBy(...signals: readonly AbortSignal[]): AbortController {
  const end = new AbortController();
  for (const signal of signals) {
    if (signal.aborted) end.abort();
    signal.addEventListener("abort", () => end.abort(), { once: true, signal: end.signal });
  }
  return end;
}

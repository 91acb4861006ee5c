/**
 * Translates the events of lanes into OpenCode's events for any number of clients: once, then each client gets the same
 * string. It runs while a client follows or waits, and for a while after that; without clients it costs nothing.
 */
import { setMaxListeners } from "node:events";
import type { Clock } from "../../../platform/clock.ts";
import type { QueueLimits } from "../../../service/follow-log.ts";
import type { FollowedItem, Service } from "../../../service/service.ts";
import { abortedBy } from "../../http/event-stream.ts";
import { laneOf } from "../ids.ts";
import type { NativeEvent, SessionMessage } from "../projection/session-view.ts";
import type { BusySession } from "./current-lanes.ts";
import {
  busySessionsOf,
  currentLanes,
  LaneRegistry,
  lanesThatMayWork,
  lanesToSnapshot,
  restoreLanes,
  snapshotOf,
} from "./current-lanes.ts";
import type { TranslatorDeps } from "./event-translator.ts";
import { EventTranslator } from "./event-translator.ts";
import type { FrameSource } from "./follow-frames.ts";
import { followFrames } from "./follow-frames.ts";
import type { LaneItem, SseFrame, StreamCursor } from "./frames.ts";
import {
  disposedFrames,
  FrameQueue,
  framesOf,
  isLaneItem,
  laneFrame,
  parseCursor,
  snapshotFrames,
  transientFrame,
} from "./frames.ts";
import type { TurnEnd, TurnRequest } from "./turn-waiter.ts";
import { TurnWaiter } from "./turn-waiter.ts";

export type HubDeps = Omit<TranslatorDeps, "service"> & {
  service: Service;
  clock: Clock;
  /** How long it keeps running without clients. */
  lingerMs?: number;
  queueLimits?: QueueLimits;
};

/** `frames` begin after `from`, or now. A snapshot, if any, comes first, and its last frame has an id. */
type FrameStream = { from: StreamCursor; hasSnapshot: boolean; frames: AsyncGenerator<SseFrame> };

type Run = {
  stop: AbortController;
  translator: EventTranslator;
  cursor: StreamCursor;
  lanes: LaneRegistry;
  /** Settles when all queued work is done: events are published one after the other. */
  busy: Promise<unknown>;
};

export class EventHub {
  readonly #deps: HubDeps;
  readonly #waiter: TurnWaiter;
  readonly #queues = new Set<FrameQueue>();
  readonly #closings = new WeakSet<AbortSignal>();
  #starting: Promise<Run> | null = null;
  #usedAt = 0;
  #isClosed = false;

  constructor(deps: HubDeps) {
    this.#deps = deps;
    this.#waiter = new TurnWaiter(deps.service);
  }

  /** Throws when `after` is not an id of this stream. `withSnapshot` is for clients without `after`. */
  async follow(options: {
    after?: string | undefined;
    directory?: string | undefined;
    withSnapshot?: boolean;
    signal: AbortSignal;
  }): Promise<FrameStream> {
    const { clock, queueLimits } = this.#deps;
    const resumeFrom = options.after === undefined ? null : await this.#checkedCursor(options.after);
    const run = await this.#running();
    const { signal } = abortedBy(options.signal, run.stop.signal);
    const queue = new FrameQueue(options.directory, signal, queueLimits);
    const leave = () => {
      queue.close();
      this.#queues.delete(queue);
      this.#usedAt = clock.now();
    };
    this.#queues.add(queue);
    // A client that has disconnected may never request the next frame, so the generator would never end.
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    const liveCursor = () => run.cursor;
    const previousLane = (laneId: string) => run.lanes.previous(laneId).lane;
    const source: FrameSource = { deps: this.#deps, queue, liveCursor, previousLane, signal };
    if (resumeFrom) {
      const frames = followFrames(source, { from: resumeFrom, snapshot: null });
      return { from: resumeFrom, hasSnapshot: false, frames };
    }
    try {
      return await this.#beginNow(run, source, options.withSnapshot === true);
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Snapshot, cursor and the first queued event must belong to the same moment. */
  async #beginNow(run: Run, source: FrameSource, withSnapshot: boolean): Promise<FrameStream> {
    const { queue } = source;
    const all = withSnapshot ? await lanesToSnapshot(this.#deps, run.lanes) : [];
    const lanes = all.filter(({ lane }) => queue.wants(lane));
    return this.#alone(run, async () => {
      await restoreLanes(this.#deps, run.translator, lanes, run.cursor.log);
      const [from, now] = [run.cursor, this.#deps.clock.now()];
      const snapshot = snapshotOf(run.translator, lanes, now);
      queue.start();
      const frames = followFrames(source, { from, snapshot: snapshotFrames(from, now, snapshot) });
      return { from, hasSnapshot: snapshot.length > 0, frames };
    });
  }

  /** Includes text that has arrived only as deltas. Empty for a lane without recent events. */
  async liveMessages(sessionID: string): Promise<readonly SessionMessage[]> {
    const { translator } = await this.#running();
    const lane = laneOf(sessionID);
    return lane ? translator.messages(lane.lane, sessionID) : [];
  }

  async busySessions(): Promise<BusySession[]> {
    const run = await this.#running();
    const states = await currentLanes(this.#deps, run.lanes);
    return this.#alone(run, async () => {
      const lanes = await lanesThatMayWork(this.#deps, run.translator, states);
      await restoreLanes(this.#deps, run.translator, lanes, run.cursor.log);
      return states.flatMap((state) => busySessionsOf(run.translator, state));
    });
  }

  /** Resolves when the turn that answers the message is over and published, or its delivery ended without one. */
  async turnEnd(request: TurnRequest): Promise<TurnEnd> {
    await this.#running();
    return this.#waiter.end(request);
  }

  /** Goes to the clients that are connected now; it is not kept. */
  async publishTransient(event: NativeEvent): Promise<void> {
    if (this.#queues.size === 0) return;
    const run = await this.#running();
    await this.#alone(run, async () => this.#publish([transientFrame(run.cursor, this.#deps.clock.now(), event)]));
  }

  closeWith(closing: AbortSignal): void {
    if (this.#closings.has(closing)) return;
    this.#closings.add(closing);
    if (closing.aborted) this.close();
    else closing.addEventListener("abort", () => this.close(), { once: true });
  }

  close(): void {
    this.#isClosed = true;
    this.#starting?.then(
      ({ stop }) => stop.abort(),
      // The caller that started it got the error.
      () => {},
    );
  }

  async #checkedCursor(after: string): Promise<StreamCursor> {
    const { service } = this.#deps;
    const cursor = parseCursor(after);
    await service.log({ after: cursor.log, limit: 1 });
    return cursor;
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
    const cursor = { log: service.logEnd(), seen: 0 };
    // Read after following has begun, so that no newly created lane is missed.
    const lanes = new LaneRegistry((await service.lanes()).map(({ lane }) => lane));
    const translator = new EventTranslator(this.#deps, { withDeltas: true });
    const run: Run = { stop, translator, cursor, lanes, busy: Promise.resolve() };
    if (this.#isClosed) stop.abort();
    void this.#endAfter(run, this.#followLog(run));
    return run;
  }

  /** When following fails, all clients are disconnected; the next client starts a new run. */
  async #endAfter(run: Run, following: Promise<void>): Promise<void> {
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

  async #followLog(run: Run): Promise<void> {
    const { signal } = run.stop;
    // Unfiltered, so that the cursor of a client that has read the log to its end can equal the cursor here.
    for await (const item of this.#deps.service.follow({ after: run.cursor.log, signal })) {
      if (this.#isIdle) return this.#end(run);
      await this.#alone(run, () => this.#publishItem(run, item));
    }
  }

  async #publishItem(run: Run, item: FollowedItem): Promise<void> {
    if (item.type === "reset") this.#reset(run, item.cursor);
    else if (item.type === "event") await this.#publishEvent(run, item);
    else if (isLaneItem(item)) await this.#publishLane(run, item);
    else {
      run.cursor = { log: item.cursor ?? run.cursor.log, seen: 0 };
      this.#publish([]);
    }
  }

  #alone<T>(run: Run, work: () => Promise<T>): Promise<T> {
    const done = run.busy.then(work);
    run.busy = done.catch(() => {});
    return done;
  }

  async #publishEvent(run: Run, { event, cursor }: FollowedItem & { type: "event" }): Promise<void> {
    const translation = await run.translator.translate(event);
    run.lanes.setLastEventAt(event.lane, this.#deps.clock.now());
    const before = run.cursor;
    run.cursor = { ...before, log: cursor ?? before.log };
    this.#publish(framesOf(translation, before, run.cursor));
    this.#waiter.take(event);
  }

  async #publishLane(run: Run, item: LaneItem): Promise<void> {
    const { laneId, lane, cursor } = item;
    const frame = await laneFrame(item, this.#deps, run.lanes.previous(laneId));
    run.translator.updateLane(laneId, lane);
    run.lanes.update(laneId, lane);
    run.cursor = { log: cursor, seen: 0 };
    this.#publish([frame]);
  }

  #reset(run: Run, cursor: string): void {
    run.cursor = { log: cursor, seen: 0 };
    run.translator.reset();
    this.#publish(disposedFrames(run.cursor, run.lanes.directories, this.#deps.clock.now()));
  }

  #publish(frames: readonly SseFrame[]): void {
    for (const queue of this.#queues) queue.push(frames);
  }

  get #isIdle(): boolean {
    const { clock, lingerMs = 60_000 } = this.#deps;
    if (this.#queues.size > 0 || this.#waiter.waiting > 0) return false;
    return clock.now() - this.#usedAt > lingerMs;
  }
}

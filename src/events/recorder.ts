/**
 * Records the signals of runtimes, and the notes of the daemon, as the universal events of lanes.
 *
 * A lane whose events could not be written and were dropped is restored from the store, as after a start, and its
 * runtime is asked to signal its turn again.
 */
import { randomUUID } from "node:crypto";
import type { DeliveryChange } from "../core/delivery/delivery-event.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { LogItem, NewEvent } from "../core/log/log-item.ts";
import { changesIn } from "../core/log/log-item.ts";
import { changeNotes, promptsNeverBegun } from "../core/turn/delivery-notes.ts";
import type { Signal } from "../core/turn/signal.ts";
import type { EventBody, UniversalEvent } from "../core/turn/universal-event.ts";
import { AppError } from "../platform/app-error.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { Housekeeping, LaneFork, LaneStore, LedgerStore, LogStore } from "../store/port.ts";
import type { History } from "./fork-history.ts";
import { copiedEvents, historyBefore } from "./fork-history.ts";
import type { LaneTurn, Note, WriterDeps } from "./lane-log.ts";
import { EventWriter, eventsLost, LaneLog } from "./lane-log.ts";

/** A lane that starts with the history of another one. */
export type ForkOf = Omit<LaneFork, "events" | "at"> & {
  history: Pick<History, "events" | "inTurn">;
  /** The ids of the agent's rows in the new session, by their old ids. */
  renamed: ReadonlyMap<string, string>;
};

export type RecorderDeps = WriterDeps & {
  store: LogStore &
    Pick<LaneStore, "lane" | "forkLane"> &
    Pick<LedgerStore, "lanesWithWork" | "outstanding" | "deliveryOf"> &
    Pick<Housekeeping, "probe">;
};

type Received = Signal | Note;

type LaneState =
  /** Its log is being read; signals wait in the meantime. */
  | { state: "opening"; received: Received[]; opened: Promise<LaneLog | null> }
  | { state: "open"; log: LaneLog }
  /** Some of its events were dropped; nothing is accepted before it has been read again. */
  | { state: "dropped"; count: number; session: string };

const reopenMs = 1000;
const reopenRetryMs = 30_000;
/** How often to ask again a runtime that cannot signal its turn. */
const resyncMs = 10_000;
const pageSize = 500;
/** Logs of idle lanes beyond this number are evicted, and restored from the store when needed. */
const maxLogs = 500;

export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #writer: EventWriter;
  readonly #lanes = new Map<string, LaneState>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #closing = new AbortController();
  readonly #timers = new Set<() => void>();
  readonly #removed = new Set<string>();
  readonly #run = randomUUID().slice(0, 8);
  #runtimes: ReadonlyMap<string, Runtime> = new Map();
  #ids = 0;

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
    this.#writer = new EventWriter(deps, {
      onDropped: (entries, afterMs) => this.#drop(entries, afterMs),
      onIdle: () => this.#evictIdle(),
    });
  }

  /** Call it before the runtimes do anything. */
  listen(runtimes: readonly Runtime[]): void {
    for (const runtime of runtimes) {
      this.#unsubscribe.push(runtime.onSignal((laneId, signal) => this.#receive(laneId, signal)));
    }
  }

  /**
   * Asks the runtimes to repeat signals that may have been missed, for lanes with an open turn or an outstanding
   * delivery.
   */
  async catchUp(runtimes: ReadonlyMap<string, Runtime>): Promise<void> {
    this.#runtimes = runtimes;
    const { store } = this.#deps;
    const wanted = new Set(await store.lanesInTurn());
    for (const laneId of await store.lanesWithWork()) if (await store.outstanding(laneId)) wanted.add(laneId);
    for (const laneId of wanted) void this.#resync(laneId);
  }

  /** Writes everything that is left. Call it after the runtimes are closed, and before the store is. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const cancel of this.#timers) cancel();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const lane of [...this.#lanes.values()]) if (lane.state === "opening") await lane.opened;
    await this.#writer.close();
  }

  /** Notes from the daemon itself about a lane, in order with the agent's events. */
  note(laneId: string, bodies: readonly EventBody[]): void {
    const at = this.#deps.clock.now();
    for (const body of bodies) this.#receive(laneId, { type: "note", at, body });
  }

  /** A lane's events also show how its messages are delivered. */
  readonly onLog = (items: readonly LogItem[]): void => {
    for (const change of changesIn(items)) this.#noteChange(change);
  };

  #noteChange(change: DeliveryChange): void {
    const { laneId, runtimeKind, runtimeSessionId: session } = change.record;
    const prompts = promptsNeverBegun(change);
    if (prompts.length > 0 && session !== null) {
      const at = this.#deps.clock.now();
      this.#receive(laneId, { at, session, synthetic: true, type: "never_begun", prompts });
    }
    const traits = runtimeKind === null ? undefined : this.#runtimes.get(runtimeKind)?.traits;
    this.note(laneId, changeNotes(change, traits?.takesIds ?? true));
  }

  /** Nothing more is expected once its turn has ended; if something arrives, its log is restored from the store. */
  laneRemoved(laneId: string): void {
    if (!this.#lanes.has(laneId)) return;
    this.#removed.add(laneId);
    void this.#writer.write();
  }

  /** The open items of a lane. Any activity opens a lane's log, so a lane without one has no open items. */
  async turn(laneId: string): Promise<LaneTurn> {
    const lane = this.#lanes.get(laneId);
    const log = lane && (await this.#opened(laneId));
    if (log) return log.live;
    return { seq: await this.#deps.store.lastEventSeq(laneId), turn: null, startedAt: null, items: [], cut: [] };
  }

  /** Everything kept of a lane, or the part before the prompt that the event `before` first published. */
  async history(laneId: string, before: number | null): Promise<History> {
    await this.#opened(laneId);
    await this.#writer.write();
    const found: UniversalEvent[] = [];
    for (;;) {
      const page = await this.#deps.store.eventsBefore(laneId, found.at(-1)?.seq ?? null, pageSize);
      found.push(...page);
      if (page.length < pageSize) return historyBefore(found.reverse(), before);
    }
  }

  /** Creates the lane, together with its first events. */
  async fork({ history, renamed, ...fork }: ForkOf): Promise<Lane> {
    const { store, clock, keep } = this.#deps;
    const [lane, session, at] = [fork.lane.id, fork.sessionId ?? "", clock.now()];
    const events = copiedEvents(history.events, { lane, session, renamed, newId: () => this.#newId() });
    const made = await store.forkLane({ ...fork, at, events }, keep);
    // The copied turn does not continue in the new lane.
    if (history.inTurn) this.#receive(lane, { at, session, synthetic: true, type: "died" });
    return made;
  }

  #receive(laneId: string, received: Received): void {
    const lane = this.#lanes.get(laneId) ?? this.#open(laneId);
    if (lane.state === "opening") lane.received.push(received);
    else if (lane.state === "dropped") lane.count += 1;
    else this.#writer.add(lane.log.take(received));
  }

  #open(laneId: string): LaneState {
    const opening: LaneState = { state: "opening", received: [], opened: Promise.resolve(null) };
    opening.opened = this.#recall(laneId, opening.received);
    this.#lanes.set(laneId, opening);
    return opening;
  }

  async #recall(laneId: string, received: Received[]): Promise<LaneLog | null> {
    try {
      const log = await LaneLog.restore(this.#deps.store, laneId, () => this.#newId());
      const missed = await log.unrecordedEnds(this.#deps.store);
      this.#lanes.set(laneId, { state: "open", log });
      const at = this.#deps.clock.now();
      for (const body of missed) this.#writer.add(log.take({ type: "note", at, body }));
      for (const one of received) this.#writer.add(log.take(one));
      return log;
    } catch (error) {
      this.#deps.onError({ laneId, error });
      if (received.length === 0 || this.#closing.signal.aborted) {
        this.#lanes.delete(laneId);
        return null;
      }
      const session = received.find((one) => one.type !== "note")?.session ?? "";
      this.#lanes.set(laneId, { state: "dropped", count: received.length, session });
      this.#schedule(reopenMs, () => void this.#reopen(laneId));
      return null;
    }
  }

  #newId(): string {
    this.#ids += 1;
    return `evt_${this.#run}_${this.#ids.toString(36)}`;
  }

  /** Only when everything is written, so that the store is as complete as the log. */
  #evictIdle(): void {
    let tooMany = this.#lanes.size - maxLogs;
    if (tooMany <= 0 && this.#removed.size === 0) return;
    for (const [laneId, lane] of this.#lanes) {
      if (lane.state !== "open") continue;
      // Whether the program has started to work on its turn is not stored, and an end before that would be ignored.
      if (lane.log.inTurn || (tooMany <= 0 && !this.#removed.has(laneId))) continue;
      this.#removed.delete(laneId);
      this.#lanes.delete(laneId);
      tooMany -= 1;
    }
  }

  #drop(entries: readonly NewEvent[], afterMs: number): void {
    const kept = entries.filter((entry) => entry.kept);
    const last = kept.at(-1)?.event;
    if (!last) return;
    const { lane: laneId, session } = last;
    this.#deps.onError({ laneId, error: eventsLost(kept.length) });
    this.#lanes.set(laneId, { state: "dropped", count: kept.length, session });
    this.#schedule(afterMs, () => void this.#reopen(laneId));
  }

  async #reopen(laneId: string): Promise<void> {
    const dropped = this.#lanes.get(laneId);
    if (dropped?.state !== "dropped") return;
    const { store, clock, onError } = this.#deps;
    try {
      await store.probe(clock.now());
      const { session } = dropped;
      const value = { signals: dropped.count };
      const id = `events_lost:${this.#newId()}`;
      const lost: Signal = {
        at: clock.now(),
        session,
        synthetic: true,
        type: "status",
        id,
        name: "events_lost",
        value,
      };
      this.#lanes.delete(laneId);
      this.#receive(laneId, lost);
      await this.#resync(laneId);
    } catch (error) {
      onError({ laneId, error });
      this.#schedule(reopenRetryMs, () => void this.#reopen(laneId));
    }
  }

  /** A turn whose session no longer exists was interrupted. */
  async #resync(laneId: string): Promise<void> {
    const { store, clock, onError } = this.#deps;
    try {
      const log = await this.#opened(laneId);
      const lane = await store.lane(laneId);
      const runtime = lane && this.#runtimes.get(lane.runtime);
      const session = log?.inTurn ? log.session : (lane?.sessionId ?? null);
      if (session === null || !log || this.#closing.signal.aborted) return;
      const gone = { at: clock.now(), session, synthetic: true, type: "died" } as const;
      if (!lane) return this.#receive(laneId, gone);
      // If the runtime is not ready, its turns stay open until a start that finds it ready.
      if (!runtime) return;
      await runtime.resync(lane, session, this.#closing.signal).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== "session_unknown") throw error;
        this.#receive(laneId, gone);
      });
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      onError({ laneId, error });
      this.#schedule(resyncMs, () => void this.#resync(laneId));
    }
  }

  async #opened(laneId: string): Promise<LaneLog | null> {
    const lane = this.#lanes.get(laneId) ?? this.#open(laneId);
    if (lane.state === "opening") return lane.opened;
    return lane.state === "open" ? lane.log : null;
  }

  #schedule(ms: number, run: () => void): void {
    if (this.#closing.signal.aborted) return;
    const { clock } = this.#deps;
    const cancel = clock.at(clock.now() + ms, () => {
      this.#timers.delete(cancel);
      run();
    });
    this.#timers.add(cancel);
  }
}

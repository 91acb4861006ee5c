/**
 * Writes down what runtimes say, as universal events, and tells those who follow once it is durable. What comes while a
 * commit is under way goes into the next one; deltas are not kept, and are told in their order among the others.
 *
 * While the store cannot be written it holds back a bounded amount and tries again. What is more than that is given up
 * as a whole: the lane is then taken up from the store, as after a start, and its runtime asked to say its turn again.
 * The same becomes of one lane whose events the store does not take while it takes those of others.
 */
import { randomUUID } from "node:crypto";
import { AppError } from "../app-error.ts";
import type { Clock } from "../clock.ts";
import type { Lane } from "../delivery/lane.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { LaneFork, Store } from "../store/port.ts";
import { byLane, charactersIn } from "./entries.ts";
import type { LoggedEvent } from "./event-page.ts";
import type { History } from "./fork-history.ts";
import { copiedEvents, historyBefore } from "./fork-history.ts";
import type { Entry, Note } from "./lane-log.ts";
import { LaneLog } from "./lane-log.ts";
import type { Signal } from "./signal.ts";
import type { Happening, UniversalEvent } from "./universal-event.ts";
import { isKept } from "./universal-event.ts";
import { eventsLost, isAstray, isOfTheDisk } from "./write-trouble.ts";

/** `cursor` is that of the event; of a delta, none. */
export type ToldEvent = { cursor: string | null; event: UniversalEvent; text: string };

/** A lane that begins with what is kept of another one. */
export type ForkOf = Omit<LaneFork, "events" | "at"> & {
  history: Pick<History, "events" | "inTurn">;
  /** What the agent's rows are called in the new session, by their old ids. */
  renamed: ReadonlyMap<string, string>;
};

export type RecorderDeps = {
  store: Store;
  clock: Clock;
  /** How many events of a lane are kept. */
  keep: number;
  onTrouble: (trouble: { laneId?: string; error: unknown }) => void;
  /** How much is held back while the store cannot be written. */
  mostCharacters?: number;
};

type Heard = Signal | Note;

type LaneState =
  /** Its log is being read; what is said meanwhile waits. */
  | { state: "opening"; heard: Heard[]; opened: Promise<LaneLog | null> }
  | { state: "open"; log: LaneLog }
  /** Events of it were given up; nothing is taken before it was read anew. */
  | { state: "given_up"; count: number; session: string };

const mostInACommit = 500;
const firstRetryMs = 1000;
const longestRetryMs = 30_000;
/** How often a runtime is asked again that cannot say its turn. */
const retellMs = 10_000;
const readAtOnce = 500;
/** Of lanes that rest, more are read from the store again when something is heard of them. */
const mostLogs = 500;

export class Recorder {
  readonly #deps: RecorderDeps;
  readonly #lanes = new Map<string, LaneState>();
  readonly #listeners = new Set<(told: readonly ToldEvent[]) => void>();
  readonly #unsubscribe: (() => void)[] = [];
  readonly #closing = new AbortController();
  readonly #timers = new Set<() => void>();
  readonly #removed = new Set<string>();
  readonly #run = randomUUID().slice(0, 8);
  #runtimes: ReadonlyMap<string, Runtime> = new Map();
  #ids = 0;
  #queue: Entry[] = [];
  #characters = 0;
  #writing: Promise<void> | null = null;
  #failing = false;
  #retryMs = firstRetryMs;
  #newest = "";

  constructor(deps: RecorderDeps) {
    this.#deps = deps;
  }

  /** The cursor of the newest event that was told. */
  get newest(): string {
    return this.#newest;
  }

  /** To be called before the runtimes do anything. */
  async listen(runtimes: readonly Runtime[]): Promise<void> {
    this.#newest = await this.#deps.store.eventsEnd();
    for (const runtime of runtimes) {
      this.#unsubscribe.push(runtime.onSignal((laneId, signal) => this.#hear(laneId, signal)));
    }
  }

  /** Has the runtimes say again what may have been missed: where a turn is open, and where a delivery is. */
  async catchUp(runtimes: ReadonlyMap<string, Runtime>): Promise<void> {
    this.#runtimes = runtimes;
    const { store } = this.#deps;
    const wanted = new Set(await store.lanesInTurn());
    for (const laneId of await store.lanesWithWork()) if (await store.outstanding(laneId)) wanted.add(laneId);
    for (const laneId of wanted) void this.#retell(laneId);
  }

  /** The returned function ends it. Listeners get batches, and must not take long over them. */
  onEvents(listener: (told: readonly ToldEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Writes what is still to be written. To be called when the runtimes are closed, and before the store is. */
  async close(): Promise<void> {
    this.#closing.abort();
    for (const cancel of this.#timers) cancel();
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const lane of [...this.#lanes.values()]) if (lane.state === "opening") await lane.opened;
    this.#failing = false;
    await this.#write();
    const lost = this.#queue.filter(({ kept }) => kept).length;
    if (lost > 0) this.#deps.onTrouble({ error: eventsLost(lost) });
  }

  /** What the daemon itself has to say of a lane, in its order among what the agent does. */
  note(laneId: string, happenings: readonly Happening[]): void {
    const at = this.#deps.clock.now();
    for (const happening of happenings) this.#hear(laneId, { type: "note", at, happening });
  }

  /** Nothing more is expected of it; what is, is read from the store again. */
  laneRemoved(laneId: string): void {
    if (!this.#lanes.has(laneId)) return;
    this.#removed.add(laneId);
    void this.#write();
  }

  /** All that is kept of a lane by now, or of what came before the prompt that was told first with the event `before`. */
  async history(laneId: string, before: number | null): Promise<History> {
    await this.#opened(laneId);
    await this.#write();
    const found: UniversalEvent[] = [];
    for (;;) {
      const page = await this.#deps.store.eventsBefore(laneId, found.at(-1)?.seq ?? null, readAtOnce);
      found.push(...page);
      if (page.length < readAtOnce) return historyBefore(found.reverse(), before);
    }
  }

  /** Makes the lane. Its first events are told as all others are, and come to those who follow in one piece. */
  async fork({ history, renamed, ...fork }: ForkOf): Promise<Lane> {
    const { store, clock, keep } = this.#deps;
    const [lane, session, at] = [fork.lane.id, fork.sessionId ?? "", clock.now()];
    const events = copiedEvents(history.events, { lane, session, renamed, newId: () => this.#newId() });
    const made = await this.#alone(async () => {
      const forked = await store.forkLane({ ...fork, at, events }, keep);
      this.#tell(events, forked.cursors);
      return forked.lane;
    });
    // Nothing goes on in it.
    if (history.inTurn) this.#hear(lane, { at, session, synthetic: true, type: "died" });
    return made;
  }

  /** Between two commits, so that everything is told in the order in which it is kept. */
  async #alone<T>(write: () => Promise<T>): Promise<T> {
    while (this.#writing) await this.#writing;
    const written = write();
    this.#writing = written.then(
      () => this.#writeAll(),
      // Whoever asked for it is told.
      () => this.#writeAll(),
    );
    return written;
  }

  #hear(laneId: string, heard: Heard): void {
    const lane = this.#lanes.get(laneId) ?? this.#open(laneId);
    if (lane.state === "opening") lane.heard.push(heard);
    else if (lane.state === "given_up") lane.count += 1;
    else this.#take(lane.log, heard);
  }

  #take(log: LaneLog, heard: Heard): void {
    for (const entry of log.take(heard)) {
      if (this.#failing && !entry.kept) continue;
      this.#queue.push(entry);
      this.#characters += entry.text.length;
    }
    // A long turn that is said at once may be more than that, and is written in a moment.
    if (!this.#failing) void this.#write();
    else if (this.#isTooMuch) this.#giveUpAll();
  }

  get #isTooMuch(): boolean {
    return this.#characters > (this.#deps.mostCharacters ?? 16 * 1024 * 1024);
  }

  #open(laneId: string): LaneState {
    const opening: LaneState = { state: "opening", heard: [], opened: Promise.resolve(null) };
    opening.opened = this.#recall(laneId, opening.heard);
    this.#lanes.set(laneId, opening);
    return opening;
  }

  async #recall(laneId: string, heard: Heard[]): Promise<LaneLog | null> {
    try {
      const log = await LaneLog.recall(this.#deps.store, laneId, () => this.#newId());
      const missed = await log.missedEnds(this.#deps.store);
      this.#lanes.set(laneId, { state: "open", log });
      const at = this.#deps.clock.now();
      for (const happening of missed) this.#take(log, { type: "note", at, happening });
      for (const one of heard) this.#take(log, one);
      return log;
    } catch (error) {
      this.#deps.onTrouble({ laneId, error });
      if (heard.length === 0 || this.#closing.signal.aborted) {
        this.#lanes.delete(laneId);
        return null;
      }
      const session = heard.find((one) => one.type !== "note")?.session ?? "";
      this.#lanes.set(laneId, { state: "given_up", count: heard.length, session });
      this.#later(firstRetryMs, () => void this.#takeUp(laneId));
      return null;
    }
  }

  #newId(): string {
    this.#ids += 1;
    return `evt_${this.#run}_${this.#ids.toString(36)}`;
  }

  /** One at a time; whoever comes while it goes on waits for the same one, which takes theirs, too. */
  #write(): Promise<void> {
    this.#writing ??= this.#writeAll();
    return this.#writing;
  }

  async #writeAll(): Promise<void> {
    // What is said in the same breath goes together.
    await null;
    while (this.#queue.length > 0 && !this.#failing) await this.#writeSome(this.#nextBatch());
    if (this.#queue.length === 0) this.#letGo();
    // In the same moment as the last look at the queue: what is said from now on starts anew.
    this.#writing = null;
  }

  /** When all is written, so that the store knows as much as the log does. */
  #letGo(): void {
    let tooMany = this.#lanes.size - mostLogs;
    if (tooMany <= 0 && this.#removed.size === 0) return;
    for (const [laneId, lane] of this.#lanes) {
      if (lane.state !== "open") continue;
      const isGone = this.#removed.delete(laneId);
      if (!isGone && (tooMany <= 0 || lane.log.inTurn)) continue;
      this.#lanes.delete(laneId);
      tooMany -= 1;
    }
  }

  async #writeSome(batch: readonly Entry[]): Promise<void> {
    try {
      await this.#append(batch);
    } catch (error) {
      const lanes = byLane(batch);
      if (isOfTheDisk(error) || (lanes.length === 1 && !isAstray(error))) this.#failed(batch, error);
      else await this.#writeLaneByLane(lanes);
    }
  }

  async #append(batch: readonly Entry[]): Promise<void> {
    const kept = batch.filter((entry) => entry.kept);
    const cursors = kept.length === 0 ? [] : await this.#deps.store.appendEvents(kept, this.#deps.keep);
    this.#retryMs = firstRetryMs;
    this.#tell(batch, cursors);
  }

  /** What the store takes of no lane is not the fault of a lane. */
  async #writeLaneByLane(lanes: readonly Entry[][]): Promise<void> {
    const refused: { entries: Entry[]; error: unknown }[] = [];
    for (const entries of lanes) {
      await this.#append(entries).catch((error: unknown) => refused.push({ entries, error }));
    }
    const isTheirOwn = ({ error }: { error: unknown }) =>
      isAstray(error) || (refused.length < lanes.length && !isOfTheDisk(error));
    for (const { entries, error } of refused.filter(isTheirOwn)) this.#giveUpLane(entries, error);
    const waiting = refused.filter((one) => !isTheirOwn(one));
    if (waiting[0]) {
      this.#failed(
        waiting.flatMap(({ entries }) => entries),
        waiting[0].error,
      );
    }
  }

  #nextBatch(): Entry[] {
    const batch = this.#queue.splice(0, mostInACommit);
    this.#characters -= charactersIn(batch);
    return batch;
  }

  #failed(batch: readonly Entry[], error: unknown): void {
    this.#queue = [...batch, ...this.#queue].filter(({ kept }) => kept);
    this.#characters = charactersIn(this.#queue);
    this.#deps.onTrouble({ error });
    this.#failing = true;
    if (this.#isTooMuch) this.#giveUpAll();
    if (this.#closing.signal.aborted) return;
    this.#later(this.#retryMs, () => {
      this.#failing = false;
      void this.#write();
    });
    this.#retryMs = Math.min(2 * this.#retryMs, longestRetryMs);
  }

  #tell(batch: readonly LoggedEvent[], cursors: readonly string[]): void {
    const next = cursors[Symbol.iterator]();
    const told = batch.map(({ event, text }): ToldEvent => {
      const cursor = isKept(event) ? (next.next().value ?? null) : null;
      return { cursor, event, text };
    });
    this.#newest = cursors.at(-1) ?? this.#newest;
    for (const listener of this.#listeners) {
      try {
        listener(told);
      } catch (error) {
        this.#deps.onTrouble({ error });
      }
    }
  }

  /** Everything that waits, of all lanes that it is of. They are taken up again when the store can be written. */
  #giveUpAll(): void {
    const waiting = byLane(this.#queue);
    this.#queue = [];
    this.#characters = 0;
    for (const entries of waiting) this.#giveUp(entries, this.#retryMs);
  }

  #giveUpLane(entries: readonly Entry[], error: unknown): void {
    const laneId = entries[0]?.event.lane;
    const isIts = ({ event }: Entry) => event.lane === laneId;
    const all = [...entries, ...this.#queue.filter(isIts)];
    this.#queue = this.#queue.filter((entry) => !isIts(entry));
    this.#characters = charactersIn(this.#queue);
    this.#deps.onTrouble({ ...(laneId === undefined ? {} : { laneId }), error });
    this.#giveUp(all, retellMs);
  }

  /** Of one lane. */
  #giveUp(entries: readonly Entry[], afterMs: number): void {
    const kept = entries.filter((entry) => entry.kept);
    const last = kept.at(-1)?.event;
    if (!last) return;
    const { lane: laneId, session } = last;
    this.#deps.onTrouble({ laneId, error: eventsLost(kept.length) });
    this.#lanes.set(laneId, { state: "given_up", count: kept.length, session });
    this.#later(afterMs, () => void this.#takeUp(laneId));
  }

  async #takeUp(laneId: string): Promise<void> {
    const given = this.#lanes.get(laneId);
    if (given?.state !== "given_up") return;
    const { store, clock, onTrouble } = this.#deps;
    try {
      await store.probe(clock.now());
      const { session } = given;
      const value = { signals: given.count };
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
      this.#hear(laneId, lost);
      await this.#retell(laneId);
    } catch (error) {
      onTrouble({ laneId, error });
      this.#later(longestRetryMs, () => void this.#takeUp(laneId));
    }
  }

  /** A turn whose session nobody knows any more has been interrupted. */
  async #retell(laneId: string): Promise<void> {
    const { store, clock, onTrouble } = this.#deps;
    try {
      const log = await this.#opened(laneId);
      const lane = await store.lane(laneId);
      const runtime = lane && this.#runtimes.get(lane.runtime);
      const session = log?.inTurn ? log.session : (lane?.sessionId ?? null);
      if (session === null || !log || this.#closing.signal.aborted) return;
      const gone = { at: clock.now(), session, synthetic: true, type: "died" } as const;
      if (!lane) return this.#hear(laneId, gone);
      // Where it is not ready, its turns stay open until a start that finds it ready.
      if (!runtime) return;
      await runtime.retell(lane, session, this.#closing.signal).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.code !== "session_unknown") throw error;
        this.#hear(laneId, gone);
      });
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      onTrouble({ laneId, error });
      this.#later(retellMs, () => void this.#retell(laneId));
    }
  }

  async #opened(laneId: string): Promise<LaneLog | null> {
    const lane = this.#lanes.get(laneId) ?? this.#open(laneId);
    if (lane.state === "opening") return lane.opened;
    return lane.state === "open" ? lane.log : null;
  }

  #later(ms: number, run: () => void): void {
    if (this.#closing.signal.aborted) return;
    const { clock } = this.#deps;
    const cancel = clock.at(clock.now() + ms, () => {
      this.#timers.delete(cancel);
      run();
    });
    this.#timers.add(cancel);
  }
}

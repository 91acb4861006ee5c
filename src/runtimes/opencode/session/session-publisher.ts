/**
 * Publishes what happens in the sessions of lanes as signals: from events as they arrive, and from stored rows when
 * events may have been missed. Sessions without a lane are never published. No decision depends on signals.
 */
import type { Lane } from "../../../core/lane/lane.ts";
import type { Signal, SignalBody } from "../../../core/turn/signal.ts";
import type { Clock } from "../../../platform/clock.ts";
import { withTimeout } from "../../../platform/clock.ts";
import type { SignalListener } from "../../port.ts";
import type { PendingAskSignal } from "../asks.ts";
import type { OpencodeApi, StoredMessage } from "../client/api.ts";
import type { OpencodeEvent } from "../client/event-stream.ts";
import type { SessionRegistry } from "../client/session-registry.ts";
import type { SessionRows } from "../transcript/read-session-rows.ts";
import { subtaskSession } from "../transcript/subtask-usage.ts";
import type { StoredTurns } from "../translate/row-signals.ts";
import { restSignal, signalsFromRows, unpublishedRows } from "../translate/row-signals.ts";
import { OpencodeTranslator } from "../translate/translate.ts";

export type SessionPublisherOptions = {
  api: OpencodeApi;
  registry: SessionRegistry;
  clock: Clock;
  /** Null if the server does not know the session. */
  readRows: (lane: Lane, sessionId: string, limit: number | null, signal: AbortSignal) => Promise<SessionRows | null>;
  /** The pending asks of the session and of those below it. */
  readAsks: (lane: Lane, sessionId: string, signal: AbortSignal) => Promise<readonly PendingAskSignal[]>;
  onError: (error: unknown) => void;
};

const firstRowLimit = 50;
const resyncTimeoutMs = 30_000;
/** If the program has not started on a prompt by then, it never will. */
const startTimeoutMs = 10_000;
/** How long after reporting idle the program may still report the end of a message. */
const endTimeoutMs = 2000;
const retryMs = 10_000;
/** How often rows are reread because something happened during the read. */
const maxReads = 4;

export class SessionPublisher {
  readonly #options: SessionPublisherOptions;
  readonly #translator: OpencodeTranslator;
  readonly #sessions = new Map<string, PublishedSession>();
  readonly #listeners = new Set<SignalListener>();
  readonly #closing = new AbortController();
  #live = false;

  constructor(options: SessionPublisherOptions) {
    this.#options = options;
    this.#translator = new OpencodeTranslator((sessionId) => options.registry.knownRoot(sessionId));
  }

  onSignal(listener: SignalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The session belongs to this lane. */
  watch(lane: Lane, sessionId: string): PublishedSession {
    const published = this.#sessions.get(sessionId) ?? new PublishedSession(lane);
    this.#sessions.set(sessionId, published);
    published.lane = lane;
    published.isLaneRemoved = false;
    return published;
  }

  sessionOpened(lane: Lane, sessionId: string): void {
    this.watch(lane, sessionId);
    if (this.#translator.isFirst("started", sessionId)) {
      this.#publish(sessionId, { type: "session_started", resumed: false });
    }
  }

  /** The session is forgotten once its turn has ended. */
  laneRemoved(sessionId: string): void {
    const published = this.#sessions.get(sessionId);
    if (published) published.isLaneRemoved = true;
    if (!published?.isBusy) this.#forget(sessionId);
  }

  receive(event: OpencodeEvent): void {
    const { sessionID } = event.properties;
    if (typeof sessionID !== "string") return;
    const root = this.#options.registry.knownRoot(sessionID);
    const published = this.#sessions.get(root);
    if (!published) return;
    published.revision += 1;
    this.#publishAll(root, this.#translator.translate(event, this.#options.clock.now()));
    const isEndMissing = () => this.#translator.state(root).idleBeforeEnd;
    if (isEndMissing()) this.#resyncIn(published, root, endTimeoutMs, isEndMissing);
  }

  /** Whether events arrive. */
  setLive(live: boolean): void {
    this.#live = live;
  }

  /** The runtime read the session. While no events arrive, this triggers a resync. */
  sessionRead(sessionId: string): void {
    if (!this.#live) this.#resyncInBackground(sessionId);
  }

  /** Events may have been missed. */
  resyncAll(): void {
    for (const sessionId of this.#sessions.keys()) this.#resyncInBackground(sessionId);
  }

  /** Our own server has ended, and every turn with it. */
  serverDied(): void {
    for (const [sessionId, { isBusy }] of this.#sessions) if (isBusy) this.#turnDied(sessionId);
  }

  close(): void {
    this.#closing.abort();
    for (const published of this.#sessions.values()) published.cancelTimer?.();
  }

  /** Publishes everything stored since the oldest turn without a published end, and the session's status. */
  resync(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    return this.#resync(this.watch(lane, sessionId), sessionId, signal);
  }

  async #resync(published: PublishedSession, sessionId: string, signal: AbortSignal): Promise<void> {
    for (let left = maxReads; left > 0; left -= 1) {
      const { revision } = published;
      const turns = await this.#read(published, sessionId, signal);
      if (turns === null) {
        if (!this.#translator.isFirst("ended", sessionId)) return;
        return this.#publish(sessionId, { type: "session_ended", reason: "gone" });
      }
      const asks = turns.busy ? await this.#options.readAsks(published.lane, sessionId, signal) : [];
      // Events and other resyncs that arrived during the read are newer.
      if (published.revision !== revision && left > 1) continue;
      this.#publishAll(sessionId, signalsFromRows(turns, this.#translator));
      // The session may have been forgotten with the end of its turn.
      if (this.#sessions.get(sessionId) !== published) return;
      if (published.revision === revision) this.#publishStatus(published, turns, asks);
      published.revision += 1;
      return;
    }
  }

  async #read(published: PublishedSession, root: string, signal: AbortSignal): Promise<StoredTurns | null> {
    const { readRows } = this.#options;
    let found = await readRows(published.lane, root, firstRowLimit, signal);
    if (found === null) return null;
    let rows = unpublishedRows(found.rows, published);
    if (rows === null && found.rows.length >= firstRowLimit) {
      found = await readRows(published.lane, root, null, signal);
      if (found === null) return null;
      rows =
        unpublishedRows(found.rows, published) ?? unpublishedRows(found.rows, { openPrompt: null, endedPrompt: null });
    }
    const subtaskRows = new Map<string, readonly StoredMessage[]>();
    await this.#readSubtasks(rows ?? [], root, subtaskRows, signal);
    return { root, rows: rows ?? [], subtaskRows, busy: found.status !== "idle" };
  }

  async #readSubtasks(
    rows: readonly StoredMessage[],
    session: string,
    found: Map<string, readonly StoredMessage[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const { api, registry } = this.#options;
    for (const child of rows.flatMap(({ parts }) => parts.map(subtaskSession))) {
      if (child === null || found.has(child)) continue;
      registry.add(child, session);
      const childRows = (await api.messages(child, null, signal)) ?? [];
      found.set(child, childRows);
      await this.#readSubtasks(childRows, child, found, signal);
    }
  }

  #publishStatus(
    published: PublishedSession,
    { root, rows, busy }: StoredTurns,
    asks: readonly PendingAskSignal[],
  ): void {
    const now = this.#options.clock.now();
    if (busy) {
      const expired = published.expiredAsks(asks.map(({ body }) => body.ask));
      this.#publish(root, { type: "busy" }, ...expired);
      const native = (sessionId: string) => (sessionId === root ? {} : { nativeSession: sessionId });
      const signals = asks.map(({ sessionId, body }) => ({ at: now, session: root, ...native(sessionId), ...body }));
      return this.#publishAll(root, signals);
    }
    this.#translator.state(root).endTurn();
    const newest = rows.at(-1)?.info;
    if (newest?.role !== "user") return this.#publish(root, restSignal(rows));
    if (published.openPrompt === null) return;
    const left = newest.time.created + startTimeoutMs - now;
    if (left < 0) this.#turnDied(root);
    else this.#resyncIn(published, root, left + 1, () => this.#live);
  }

  /** One timer per session. While no events arrive, the reopened stream triggers the resync instead. */
  #resyncIn(published: PublishedSession, root: string, ms: number, isNeeded: () => boolean): void {
    const { clock } = this.#options;
    published.cancelTimer ??= clock.at(clock.now() + ms, () => {
      published.cancelTimer = null;
      if (isNeeded()) this.#resyncInBackground(root);
    });
  }

  #resyncInBackground(sessionId: string): void {
    const { clock, onError } = this.#options;
    const closing = this.#closing.signal;
    const published = this.#sessions.get(sessionId);
    if (!published || this.#listeners.size === 0 || closing.aborted) return;
    const resync = (signal: AbortSignal) => this.#resync(published, sessionId, signal);
    withTimeout({ clock, closing }, resyncTimeoutMs, resync).catch((error) => {
      if (closing.aborted) return;
      onError(error);
      this.#resyncIn(published, sessionId, retryMs, () => this.#live);
    });
  }

  #turnDied(session: string): void {
    this.#translator.state(session).endTurn();
    this.#publishAll(session, [{ at: this.#options.clock.now(), session, synthetic: true, type: "died" }]);
  }

  #publish(session: string, ...bodies: readonly SignalBody[]): void {
    const at = this.#options.clock.now();
    this.#publishAll(
      session,
      bodies.map((body) => ({ at, session, ...body })),
    );
  }

  #publishAll(root: string, signals: readonly Signal[]): void {
    const published = this.#sessions.get(root);
    if (!published) return;
    for (const signal of signals) {
      published.apply(signal);
      for (const listener of this.#listeners) listener(published.lane.id, signal);
      const isOver = signal.type === "session_ended" || (published.isLaneRemoved && !published.isBusy);
      if (isOver) this.#forget(root);
    }
  }

  #forget(root: string): void {
    this.#sessions.get(root)?.cancelTimer?.();
    this.#sessions.delete(root);
    for (const sessionId of this.#options.registry.forget(root)) this.#translator.forget(sessionId);
  }
}

/** The published state of a lane's session that later signals depend on. */
export class PublishedSession {
  lane: Lane;
  /** Increases with every event and every resync. */
  revision = 0;
  /** The prompt of the oldest turn that has no published end. */
  openPrompt: string | null = null;
  /** The prompt of the newest turn that has a published end. */
  endedPrompt: string | null = null;
  isBusy = false;
  isLaneRemoved = false;
  cancelTimer: (() => void) | null = null;
  readonly #asks = new Map<string, "permission" | "question">();
  #newestPrompt: string | null = null;

  constructor(lane: Lane) {
    this.lane = lane;
  }

  apply(signal: Signal): void {
    if (signal.type === "permission" || signal.type === "question") this.#asks.set(signal.ask, signal.type);
    else if (signal.type === "permission_over" || signal.type === "question_over") this.#asks.delete(signal.ask);
    else if (signal.type === "busy" || signal.type === "message") this.isBusy = true;
    // A `rest` before any work belongs to an earlier turn.
    else if (signal.type === "died" || (signal.type === "rest" && this.isBusy)) this.#endTurn();
    else if (signal.type === "prompt" && signal.nativeSession === undefined) {
      this.#newestPrompt = signal.message;
      // The prompt of an ended turn may be published again.
      if (signal.message !== this.endedPrompt) this.openPrompt ??= signal.message;
    }
  }

  /** Ends the asks that are no longer pending. How they were answered is unknown. */
  expiredAsks(pending: readonly string[]): SignalBody[] {
    return [...this.#asks]
      .filter(([ask]) => !pending.includes(ask))
      .map(([ask, kind]) =>
        kind === "permission"
          ? { type: "permission_over", ask, outcome: "expired" }
          : { type: "question_over", ask, outcome: "expired", answers: null },
      );
  }

  #endTurn(): void {
    this.isBusy = false;
    this.endedPrompt = this.#newestPrompt ?? this.endedPrompt;
    this.openPrompt = null;
    this.#asks.clear();
  }
}

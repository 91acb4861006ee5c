/**
 * Tells whoever watches what happens in the sessions of lanes: from events as they come, and from the stored rows where
 * events may have been missed. Sessions that belong to no lane are never told. Nothing is decided by any of this.
 */
import type { Clock } from "../../../clock.ts";
import type { Lane } from "../../../core/lane/lane.ts";
import type { Said, Signal } from "../../../core/turn/signal.ts";
import type { SignalListener } from "../../port.ts";
import type { FeedEvent } from "../server/event-stream.ts";
import type { MessageRow, OpencodeApi } from "../server/opencode-api.ts";
import type { SessionTree } from "../session/session-tree.ts";
import { WatchedSession } from "../session/watched-session.ts";
import type { StoredRows } from "./tell-rows.ts";
import { rest, tellRows, untold } from "./tell-rows.ts";
import { Translator } from "./translate.ts";
import type { Asked } from "./translate-ask.ts";
import { childOf } from "./translate-part.ts";

export type SessionSignalsOptions = {
  api: OpencodeApi;
  tree: SessionTree;
  clock: Clock;
  /** Rows and status of one moment; null when the server does not know the session. */
  stored: (
    lane: Lane,
    sessionId: string,
    limit: number | null,
    signal: AbortSignal,
  ) => Promise<{ rows: MessageRow[]; status: "idle" | "busy" | "retry" } | null>;
  /** What the session and those below it ask, in the words of the translation. */
  asked: (lane: Lane, sessionId: string, signal: AbortSignal) => Promise<readonly Asked[]>;
  onError: (error: unknown) => void;
};

const rowsAtFirst = 50;
const readWithinMs = 30_000;
/** A prompt that nobody has begun to work on after so long will not be begun. */
const begunWithinMs = 10_000;
/** How long after it rests the program may take to say how its message ended. */
const endedWithinMs = 2000;
/** How long after a look that failed the next one comes. */
const againMs = 10_000;
/** How often the rows are read again because something happened meanwhile. */
const tries = 4;

export class SessionSignals {
  readonly #options: SessionSignalsOptions;
  readonly #translator: Translator;
  readonly #sessions = new Map<string, WatchedSession>();
  readonly #listeners = new Set<SignalListener>();
  readonly #closing = new AbortController();
  #live = false;

  constructor(options: SessionSignalsOptions) {
    this.#options = options;
    this.#translator = new Translator({ rootOf: (sessionId) => options.tree.knownRoot(sessionId) });
  }

  onSignal(listener: SignalListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The session is this lane's. */
  watch(lane: Lane, sessionId: string): WatchedSession {
    const known = this.#sessions.get(sessionId);
    if (known) {
      known.lane = lane;
      known.isLeft = false;
      return known;
    }
    const watched = new WatchedSession(lane);
    this.#sessions.set(sessionId, watched);
    return watched;
  }

  opened(lane: Lane, sessionId: string): void {
    this.watch(lane, sessionId);
    if (this.#translator.starts(sessionId)) this.#say(sessionId, { type: "session_started", resumed: false });
  }

  /** Nobody needs to know of it any more, once its turn has ended. */
  letGo(sessionId: string): void {
    const watched = this.#sessions.get(sessionId);
    if (watched) watched.isLeft = true;
    if (!watched?.works) this.#forget(sessionId);
  }

  hear(event: FeedEvent): void {
    const { sessionID } = event.properties;
    if (typeof sessionID !== "string") return;
    const root = this.#options.tree.knownRoot(sessionID);
    const watched = this.#sessions.get(root);
    if (!watched) return;
    watched.news += 1;
    this.#tell(root, this.#translator.translate(event, this.#options.clock.now()));
    if (this.#translator.state(root).restsEarly) this.#awaitEnd(watched, root);
  }

  /** Events come, or come no more. */
  eventsCome(live: boolean): void {
    this.#live = live;
  }

  /** Somebody read the session. Without events, that is the time to look what happened. */
  looked(sessionId: string): void {
    if (!this.#live) this.#resyncSoon(sessionId);
  }

  /** Something may have been missed. */
  resyncAll(): void {
    for (const sessionId of this.#sessions.keys()) this.#resyncSoon(sessionId);
  }

  /** A server that was ours has ended, and every turn with it. */
  died(): void {
    for (const [sessionId, watched] of this.#sessions) {
      if (!watched.works) continue;
      this.#translator.state(sessionId).rested();
      this.#say(sessionId, { type: "died" }, true);
    }
  }

  close(): void {
    this.#closing.abort();
    for (const watched of this.#sessions.values()) watched.cancelWait();
  }

  /** Says all that is stored from the oldest turn on whose end was not said, and how the session stands. */
  resync(lane: Lane, sessionId: string, signal: AbortSignal): Promise<void> {
    return this.#resync(this.watch(lane, sessionId), sessionId, signal);
  }

  async #resync(watched: WatchedSession, sessionId: string, signal: AbortSignal): Promise<void> {
    for (let left = tries; left > 0; left -= 1) {
      const before = watched.news;
      const found = await this.#read(watched, sessionId, signal);
      if (found === null) return this.#gone(sessionId);
      const asked = found.busy ? await this.#options.asked(watched.lane, sessionId, signal) : [];
      // Whoever speaks meanwhile, the stream or another look, knows better how it stands.
      if (watched.news !== before && left > 1) continue;
      this.#tell(sessionId, tellRows(found, this.#translator));
      // It may have been let go with the end of its turn.
      if (this.#sessions.get(sessionId) !== watched) return;
      if (watched.news === before) this.#tellStanding(watched, found, asked);
      watched.news += 1;
      return;
    }
  }

  async #read(watched: WatchedSession, root: string, signal: AbortSignal): Promise<StoredRows | null> {
    const { stored } = this.#options;
    let found = await stored(watched.lane, root, rowsAtFirst, signal);
    if (found === null) return null;
    let rows = untold(found.rows, watched);
    if (rows === null && found.rows.length >= rowsAtFirst) {
      found = await stored(watched.lane, root, null, signal);
      if (found === null) return null;
      rows = untold(found.rows, watched) ?? untold(found.rows, { unended: null, settled: null });
    }
    const whole = rows ?? [];
    const below = new Map<string, readonly MessageRow[]>();
    await this.#readBelow(whole, root, below, signal);
    return { root, rows: whole, below, busy: found.status !== "idle" };
  }

  async #readBelow(
    rows: readonly MessageRow[],
    session: string,
    found: Map<string, readonly MessageRow[]>,
    signal: AbortSignal,
  ): Promise<void> {
    const { api, tree } = this.#options;
    for (const part of rows.flatMap(({ parts }) => parts)) {
      const child = part.type === "tool" ? childOf(part) : null;
      if (child === null || found.has(child)) continue;
      tree.learn(child, session);
      found.set(child, (await api.messages(child, null, signal)) ?? []);
      await this.#readBelow(found.get(child) ?? [], child, found, signal);
    }
  }

  #tellStanding(watched: WatchedSession, { root, rows, busy }: StoredRows, asked: readonly Asked[]): void {
    const now = this.#options.clock.now();
    if (busy) {
      this.#say(root, { type: "busy" });
      for (const over of watched.overBut(asked.map(({ said }) => said.ask))) this.#say(root, over);
      this.#tell(
        root,
        asked.map(({ sessionId, said }): Signal => {
          return { at: now, session: root, ...(sessionId === root ? {} : { nativeSession: sessionId }), ...said };
        }),
      );
      return;
    }
    this.#translator.state(root).rested();
    const newest = rows.at(-1)?.info;
    if (newest?.role !== "user") return this.#say(root, rest(rows));
    if (watched.unended === null) return;
    const left = newest.time.created + begunWithinMs - now;
    if (left < 0) this.#say(root, { type: "died" }, true);
    else this.#lookLater(watched, root, left + 1);
  }

  #gone(sessionId: string): void {
    if (this.#translator.ends(sessionId)) this.#say(sessionId, { type: "session_ended", reason: "gone" });
  }

  /** The message's end comes at once, or never. */
  #awaitEnd(watched: WatchedSession, root: string): void {
    const { clock } = this.#options;
    watched.wait(() =>
      clock.at(clock.now() + endedWithinMs, () => {
        watched.cancelWait();
        if (this.#translator.state(root).restsEarly) this.#resyncSoon(root);
      }),
    );
  }

  #lookLater(watched: WatchedSession, root: string, ms: number): void {
    const { clock } = this.#options;
    watched.wait(() =>
      clock.at(clock.now() + ms, () => {
        watched.cancelWait();
        // While no events come, their return is the time to look.
        if (this.#live) this.#resyncSoon(root);
      }),
    );
  }

  #resyncSoon(sessionId: string): void {
    const watched = this.#sessions.get(sessionId);
    if (!watched || this.#listeners.size === 0 || this.#closing.signal.aborted) return;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(readWithinMs)]);
    this.#resync(watched, sessionId, signal).catch((error) => {
      if (this.#closing.signal.aborted) return;
      this.#options.onError(error);
      this.#lookLater(watched, sessionId, againMs);
    });
  }

  #say(session: string, said: Said, synthetic = false): void {
    const at = this.#options.clock.now();
    this.#tell(session, [{ at, session, ...(synthetic ? { synthetic } : {}), ...said }]);
  }

  #tell(root: string, signals: readonly Signal[]): void {
    const watched = this.#sessions.get(root);
    for (const signal of watched ? signals : []) {
      watched?.take(signal);
      for (const listener of this.#listeners) listener(watched?.lane.id ?? "", signal);
      const isOver = signal.type === "session_ended" || (watched?.isLeft === true && !watched.works);
      if (isOver) this.#forget(root);
    }
  }

  #forget(root: string): void {
    this.#sessions.get(root)?.cancelWait();
    this.#sessions.delete(root);
    for (const sessionId of this.#options.tree.forget(root)) this.#translator.forget(sessionId);
  }
}

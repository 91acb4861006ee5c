/**
 * Observes the sessions of lanes: follows the server's events, polls busy sessions while no events arrive, emits hints
 * and signals, and remembers facts that only events report.
 */

import type { Notice } from "../../../core/lane/lane.ts";
import type { Clock } from "../../../platform/clock.ts";
import { asText } from "../../json-fields.ts";
import type { Hint } from "../../port.ts";
import type { AskContext } from "../asks.ts";
import { askSignals, isPermissionRequest, readPendingRequests } from "../asks.ts";
import type { StoredMessage } from "../client/api.ts";
import type { OpencodeEvent } from "../client/event-stream.ts";
import { EventStream } from "../client/event-stream.ts";
import { readSessionRows } from "../transcript/read-session-rows.ts";
import { SessionPublisher } from "./session-publisher.ts";

export type SessionMonitorOptions = AskContext & {
  clock: Clock;
  silenceMs?: number;
  /** The server has reloaded a directory. Null if it may have reloaded any of them. */
  onReload: (directory: string | null) => void;
  onError: (error: unknown) => void;
  /** Called when the event stream broke or could not be opened. */
  onStreamError: (error: unknown) => void;
};

export type WatchedSession = {
  /** From events, since text is stored only when it is complete. */
  lastActivityAt: number | null;
  /** The first error since the prompt. It may have ended the turn before there was a row. */
  error: { at: number; error: unknown } | null;
  /** Whether an ask may be pending that neither the server's list nor an event has shown. */
  mayMissAsk: boolean;
};

/** Events that are worth a read. */
const hintEvents = new Set([
  "session.idle",
  "session.error",
  "session.deleted",
  "permission.asked",
  "permission.replied",
  "question.asked",
  "question.replied",
  "question.rejected",
]);

const lookupTimeoutMs = 3000;

const noEvents: Notice = {
  code: "events_unusable",
  message: "OpenCode's events do not arrive; Waybill polls busy sessions every two seconds instead.",
};

const askUnseen: Notice = {
  code: "ask_unseen",
  message:
    "OpenCode cannot list its pending asks, and the agent may be waiting for a permission that Waybill cannot see. If its " +
    "turn does not continue, answer in OpenCode itself, or stop the turn with `waybill lanes abort`.",
};

export class SessionMonitor {
  readonly signals: SessionPublisher;
  readonly #options: SessionMonitorOptions;
  readonly #stream: EventStream;
  readonly #polling: BusyPolling;
  readonly #watched = new Map<string, WatchedSession>();
  readonly #hintListeners = new Set<(hint: Hint) => void>();
  /** Whether events arrive; `none` before the first attempt to open the stream has ended. */
  events: "connected" | "reconnecting" | "none" = "none";

  constructor(options: SessionMonitorOptions) {
    const { api, registry, clock, silenceMs, onError } = options;
    this.#options = options;
    this.#polling = new BusyPolling({ clock, onPoll: (sessionId) => this.#hint(sessionId) });
    this.signals = new SessionPublisher({
      api,
      registry,
      clock,
      readRows: (...request) => readSessionRows(options, ...request),
      readAsks: async (...request) => askSignals(await readPendingRequests(options, ...request)),
      onError,
    });
    this.#stream = new EventStream({
      api,
      clock,
      ...(silenceMs === undefined ? {} : { silenceMs }),
      onLive: (live) => {
        this.events = live ? "connected" : "reconnecting";
        this.#polling.setLive(live);
        this.signals.setLive(live);
      },
      onEvent: (event) => this.#receive(event),
      onGap: () => {
        options.onReload(null);
        this.#hintAll();
        this.signals.resyncAll();
      },
      onError: options.onStreamError,
    });
  }

  onHint(listener: (hint: Hint) => void): () => void {
    this.#hintListeners.add(listener);
    return () => this.#hintListeners.delete(listener);
  }

  /** The asks of a server end with it. `died` means that the server was ours, so its turns ended as well. */
  serverChanged(change: "available" | "died" | "lost"): void {
    this.#options.receivedPermissions.clear();
    for (const session of this.#watched.values()) session.mayMissAsk = false;
    if (change === "died") this.signals.serverDied();
    if (change !== "available") return;
    this.#stream.start();
    this.#stream.retryNow();
    this.#hintAll();
  }

  /** From now on events about the session give hints. It counts as busy until it is known to be idle. */
  watch(sessionId: string): WatchedSession {
    const watched = this.#watched.get(sessionId) ?? { lastActivityAt: null, error: null, mayMissAsk: false };
    this.#watched.set(sessionId, watched);
    this.#polling.mark(sessionId, "busy");
    return watched;
  }

  markIdle(sessionId: string): void {
    this.#polling.mark(sessionId, "idle");
  }

  forget(sessionId: string): void {
    this.#watched.delete(sessionId);
    this.#polling.mark(sessionId, "idle");
    this.signals.laneRemoved(sessionId);
  }

  notices(sessionId: string | null): Notice[] {
    const mayMissAsk = sessionId !== null && this.#watched.get(sessionId)?.mayMissAsk;
    return [...(this.events === "reconnecting" ? [noEvents] : []), ...(mayMissAsk ? [askUnseen] : [])];
  }

  async close(): Promise<void> {
    this.#polling.close();
    this.signals.close();
    await this.#stream.close();
  }

  #receive(event: OpencodeEvent): void {
    const { registry, receivedPermissions } = this.#options;
    const { type, properties } = event;
    // A subtask's session is announced before anything happens in it.
    if (type === "session.created" || type === "session.updated") {
      const { id, parentID } = (properties.info ?? {}) as { id?: unknown; parentID?: unknown };
      if (typeof id === "string") registry.add(id, typeof parentID === "string" ? parentID : null);
    }
    if (type === "global.disposed") this.#options.onReload(null);
    if (type === "server.instance.disposed") this.#options.onReload(asText(properties.directory));
    if (type === "permission.replied") receivedPermissions.delete(String(properties.requestID));
    if (type === "permission.asked" && isPermissionRequest(properties))
      receivedPermissions.set(properties.id, properties);
    this.signals.receive(event);
    const { sessionID } = properties;
    if (typeof sessionID !== "string") return;
    const root = registry.knownRoot(sessionID);
    const watched = this.#watched.get(root);
    if (watched) this.#record(watched, event, root === sessionID);
    if (hintEvents.has(type)) {
      if (watched) this.#hint(root);
      else void this.#hintRoot(sessionID);
    }
    // Includes sessions of other clients, since an attached server also sends their events.
    if (type === "session.deleted") registry.forget(sessionID);
  }

  #record(watched: WatchedSession, { type, properties: { error } }: OpencodeEvent, isRoot: boolean): void {
    const at = this.#options.clock.now();
    if (type === "message.part.delta" || type === "message.part.updated") watched.lastActivityAt = at;
    // A second error in the same turn only adds the program's stack trace.
    else if (type === "session.error" && isRoot && error) watched.error ??= { at, error };
  }

  #hint(sessionId: string): void {
    for (const listener of this.#hintListeners) listener({ sessionId });
  }

  #hintAll(): void {
    for (const sessionId of this.#watched.keys()) this.#hint(sessionId);
  }

  /** For a subtask with a missed start: only the server knows which lane's session it belongs to. */
  async #hintRoot(sessionId: string): Promise<void> {
    try {
      const root = await this.#options.registry.root(sessionId, AbortSignal.timeout(lookupTimeoutMs));
      if (this.#watched.has(root)) this.#hint(root);
    } catch (error) {
      this.#options.onError(error);
    }
  }
}

/** Adds a row for an error that ended the newest prompt's turn before it had any row. */
export function withErrorRow(
  { error: received }: WatchedSession,
  rows: readonly StoredMessage[],
): readonly StoredMessage[] {
  const prompt = rows.at(-1)?.info;
  if (!received || prompt?.role !== "user") return rows;
  const time = { created: received.at, completed: received.at };
  const info = { id: `${prompt.id}_error`, role: "assistant", parentID: prompt.id, time, error: received.error };
  return [...rows, { info, parts: [] } as unknown as StoredMessage];
}

const intervalMs = 2000;

export type BusyPollingOptions = { clock: Clock; onPoll: (sessionId: string) => void };

/**
 * While no events arrive, polls the sessions that may be busy every two seconds, to notice the end of a turn and
 * pending asks. No timer runs while no session is busy.
 */
export class BusyPolling {
  readonly #options: BusyPollingOptions;
  readonly #busy = new Set<string>();
  #isLive = false;
  #closed = false;
  #cancel: (() => void) | null = null;

  constructor(options: BusyPollingOptions) {
    this.#options = options;
  }

  /** Call this at every read, even a failed one: a session that is not known to be idle may be busy. */
  mark(sessionId: string, status: "busy" | "idle"): void {
    if (status === "busy") this.#busy.add(sessionId);
    else this.#busy.delete(sessionId);
    this.#schedule();
  }

  /** Whether events arrive. */
  setLive(live: boolean): void {
    this.#isLive = live;
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    this.#schedule();
  }

  #schedule(): void {
    const { clock } = this.#options;
    if (this.#closed || this.#isLive || this.#busy.size === 0) {
      this.#cancel?.();
      this.#cancel = null;
    } else this.#cancel ??= clock.at(clock.now() + intervalMs, () => this.#poll());
  }

  /** A read that finds a session busy marks it again; a session that no delivery waits for is not read. */
  #poll(): void {
    this.#cancel = null;
    const due = [...this.#busy];
    this.#busy.clear();
    for (const sessionId of due) this.#options.onPoll(sessionId);
  }
}

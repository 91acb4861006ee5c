/**
 * Decides when the courier reconciles again. It has one timer, set to the nearest due time; with nothing outstanding
 * it does nothing. Hints only bring it forward, so a lost one costs time, never a message.
 */
import type { Policy } from "../core/delivery/policy.ts";
import { nextReconcileAt } from "../core/delivery/schedule.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Clock } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";
import type { DueReconcile, LedgerStore, LogStore } from "../store/port.ts";

export type WatchdogDeps = {
  store: Pick<LedgerStore, "dueReconciles" | "nextReconcileAt" | "delivery"> & Pick<LogStore, "onLog">;
  policy: Policy;
  clock: Clock;
  attend: (due: DueReconcile) => Promise<void>;
  onError: (failure: { error: unknown }) => void;
};

/** How many due deliveries to load at a time, in addition to those known not to start now. */
const batch = 32;

export class Watchdog {
  readonly #deps: WatchdogDeps;
  /** Running reconciles: the delivery, its team, and when it ends. */
  readonly #running = new Map<string, { team: string | null; ended: Promise<void> }>();
  /** Reconciles that ended without moving their time, and when to try them again. */
  readonly #backOff = new Map<string, { until: number; times: number }>();
  #timer: { at: number; cancel: () => void } | null = null;
  #unsubscribe: () => void = () => {};
  #stopped = true;

  constructor(deps: WatchdogDeps) {
    this.#deps = deps;
  }

  async start(): Promise<void> {
    this.#stopped = false;
    this.#unsubscribe = this.#deps.store.onLog((items) => {
      for (const item of items) {
        if (item.type === "delivery" && item.record.nextReconcileAt !== null) this.#arm(item.record.nextReconcileAt);
      }
    });
    await this.#onTime();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    this.#timer = null;
    await Promise.all([...this.#running.values()].map((look) => look.ended));
  }

  #arm(at: number): void {
    if (this.#stopped || (this.#timer && this.#timer.at <= at)) return;
    this.#timer?.cancel();
    this.#timer = { at, cancel: this.#deps.clock.at(at, () => void this.#onTime()) };
  }

  async #onTime(): Promise<void> {
    this.#timer?.cancel();
    this.#timer = null;
    try {
      await this.#startDue();
    } catch (error) {
      this.#deps.onError({ error });
      this.#arm(this.#deps.clock.now() + this.#deps.policy.maxReconcileDelayMs);
    }
  }

  /** Starts as many due reconciles as the limits allow; each one that ends makes room for the next. */
  async #startDue(): Promise<void> {
    const { store, clock } = this.#deps;
    if (this.#stopped) return;
    const now = clock.now();
    for (;;) {
      const most = batch + this.#running.size + this.#backOff.size;
      const full = this.#fullTeams();
      const dueNow = await store.dueReconciles(now, most, full);
      if (dueNow.length < most && full.length === 0) this.#forget(dueNow);
      const before = this.#running.size;
      for (const due of dueNow) {
        if (this.#mayStart(due, now)) this.#running.set(due.deliveryId, { team: due.team, ended: this.#attend(due) });
      }
      // A full batch may belong to one team; load the rest without that team.
      if (dueNow.length < most || this.#running.size === before) break;
    }
    await this.#rearm(now);
  }

  #fullTeams(): string[] {
    const counts = new Map<string, number>();
    for (const { team } of this.#running.values()) if (team !== null) counts.set(team, (counts.get(team) ?? 0) + 1);
    return [...counts].flatMap(([team, count]) =>
      count >= this.#deps.policy.watchdogConcurrencyPerTeam ? [team] : [],
    );
  }

  /** Deliveries that are no longer due were moved by something else. */
  #forget(dueNow: readonly DueReconcile[]): void {
    const due = new Set(dueNow.map((look) => look.deliveryId));
    for (const deliveryId of this.#backOff.keys()) if (!due.has(deliveryId)) this.#backOff.delete(deliveryId);
  }

  #mayStart(due: DueReconcile, now: number): boolean {
    const { policy } = this.#deps;
    if (this.#running.has(due.deliveryId) || (this.#backOff.get(due.deliveryId)?.until ?? 0) > now) return false;
    if (this.#running.size >= policy.watchdogConcurrency) return false;
    return due.team === null || !this.#fullTeams().includes(due.team);
  }

  async #attend(due: DueReconcile): Promise<void> {
    const { attend, store, clock, onError } = this.#deps;
    try {
      await attend(due);
      const after = await store.delivery(due.deliveryId);
      const stillDue = after?.nextReconcileAt != null && after.nextReconcileAt <= clock.now();
      if (stillDue) this.#putOff(due.deliveryId);
      else this.#backOff.delete(due.deliveryId);
    } catch (error) {
      onError({ error });
      this.#putOff(due.deliveryId);
    } finally {
      this.#running.delete(due.deliveryId);
    }
    if (!this.#stopped) await this.#onTime();
  }

  /**
   * A delivery that was due at `now` and not started waits for a running reconcile to end, or for the end of its
   * back-off. Use the same `now` that the due deliveries were loaded with: one that became due since then would
   * otherwise be forgotten.
   */
  async #rearm(now: number): Promise<void> {
    const next = await this.#deps.store.nextReconcileAt(now);
    if (next !== null) this.#arm(next);
    for (const { until } of this.#backOff.values()) if (until > now) this.#arm(until);
  }

  /** Each consecutive wait is longer, up to the longest reconcile delay. */
  #putOff(deliveryId: string): void {
    const { clock, policy } = this.#deps;
    const times = (this.#backOff.get(deliveryId)?.times ?? -1) + 1;
    this.#backOff.set(deliveryId, { until: nextReconcileAt({ reconciles: times }, policy, clock.now()), times });
  }
}

/** A turn in the session that a lane has just left may still end. */
const followedSessions = 2;

type Wait = { reason: string; times: number; cancel: () => void };

/**
 * What wakes a lane: a hint from its runtime, or the end of a wait because its head could not be sent. Nothing of it is
 * stored. A lost hint costs only time, and every lane with work is moved at start.
 */
export class WakeUps {
  readonly #clock: Clock;
  readonly #policy: Policy;
  readonly #wake: (laneId: string, options: { reconcile: boolean }) => void;
  readonly #laneOfSession = new Map<string, string>();
  /** The newest sessions of each lane, oldest first. */
  readonly #sessionsOf = new Map<string, readonly string[]>();
  readonly #waits = new Map<string, Wait>();
  readonly #unsubscribe: (() => void)[] = [];
  #closed = false;

  constructor(clock: Clock, policy: Policy, wake: (laneId: string, options: { reconcile: boolean }) => void) {
    this.#clock = clock;
    this.#policy = policy;
    this.#wake = wake;
  }

  listen(runtimes: Iterable<Runtime>): void {
    for (const runtime of runtimes) {
      this.#unsubscribe.push(
        runtime.onHint(({ sessionId }) => {
          const laneId = this.#laneOfSession.get(sessionId);
          if (laneId !== undefined) this.#wake(laneId, { reconcile: true });
        }),
      );
    }
  }

  /** From now on, hints about the lane's session wake it. */
  follow({ id, sessionId }: Lane): void {
    const known = this.#sessionsOf.get(id) ?? [];
    if (sessionId === null || known.at(-1) === sessionId) return;
    const sessions = [...known.filter((one) => one !== sessionId), sessionId].slice(-followedSessions);
    for (const old of known) if (!sessions.includes(old)) this.#unfollow(old, id);
    this.#sessionsOf.set(id, sessions);
    this.#laneOfSession.set(sessionId, id);
  }

  /** The lane was removed. */
  forget(laneId: string): void {
    for (const session of this.#sessionsOf.get(laneId) ?? []) this.#unfollow(session, laneId);
    this.#sessionsOf.delete(laneId);
    this.clear(laneId);
  }

  /** The lane's head cannot be sent now. Each consecutive wait is longer. */
  postpone(laneId: string, reason: string): void {
    if (this.#closed) return;
    const before = this.#waits.get(laneId);
    before?.cancel();
    const times = before ? before.times + 1 : 0;
    const at = nextReconcileAt({ reconciles: times }, this.#policy, this.#clock.now());
    const cancel = this.#clock.at(at, () => this.#wake(laneId, { reconcile: false }));
    this.#waits.set(laneId, { reason, times, cancel });
  }

  clear(laneId: string): void {
    this.#waits.get(laneId)?.cancel();
    this.#waits.delete(laneId);
  }

  reason(laneId: string): string | null {
    return this.#waits.get(laneId)?.reason ?? null;
  }

  /** Another lane may have adopted the session since. */
  #unfollow(sessionId: string, laneId: string): void {
    if (this.#laneOfSession.get(sessionId) === laneId) this.#laneOfSession.delete(sessionId);
  }

  close(): void {
    this.#closed = true;
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
    for (const wait of this.#waits.values()) wait.cancel();
    this.#waits.clear();
  }
}

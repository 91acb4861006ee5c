/**
 * What wakes a lane: a hint from its runtime, or the end of a wait because its head could not be sent. Nothing of it
 * is stored. A lost hint costs only time, and every lane with work is moved at start.
 */

import type { Policy } from "../core/delivery/policy.ts";
import { nextReconcileAt } from "../core/delivery/schedule.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Clock } from "../platform/clock.ts";
import type { Runtime } from "../runtimes/port.ts";

/** A turn in the session that a lane has just left may still end. */
const followedSessions = 2;

type Wait = { reason: string; times: number; cancel: () => void };

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

/**
 * Lanes whose head message cannot be sent at this moment: the session is busy with something else, or cannot be
 * reached. Kept in memory only, since a waiting message is durable and every lane with work is tended at start.
 */
import type { Clock } from "../clock.ts";
import type { Policy } from "../core/delivery/policy.ts";
import { nextReconcileAt } from "../core/delivery/schedule.ts";

type Wait = { reason: string; times: number; cancel: () => void };

export class LaneBackoff {
  readonly #clock: Clock;
  readonly #policy: Policy;
  readonly #wake: (laneId: string) => void;
  readonly #waits = new Map<string, Wait>();
  #closed = false;

  constructor(clock: Clock, policy: Policy, wake: (laneId: string) => void) {
    this.#clock = clock;
    this.#policy = policy;
    this.#wake = wake;
  }

  /** Each time in a row waits longer, up to the longest look. */
  postpone(laneId: string, reason: string): void {
    if (this.#closed) return;
    const before = this.#waits.get(laneId);
    before?.cancel();
    const times = before ? before.times + 1 : 0;
    const at = nextReconcileAt({ looks: times }, this.#policy, this.#clock.now());
    this.#waits.set(laneId, { reason, times, cancel: this.#clock.at(at, () => this.#wake(laneId)) });
  }

  clear(laneId: string): void {
    this.#waits.get(laneId)?.cancel();
    this.#waits.delete(laneId);
  }

  reason(laneId: string): string | null {
    return this.#waits.get(laneId)?.reason ?? null;
  }

  close(): void {
    this.#closed = true;
    for (const wait of this.#waits.values()) wait.cancel();
    this.#waits.clear();
  }
}

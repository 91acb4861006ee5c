/**
 * Pauses a lane that has reached its daily limit, and resumes it when the next day begins. Usage is in the store and
 * the reason for the pause is in the lane, so a restart changes neither.
 */

import type { Policy } from "../core/delivery/policy.ts";
import type { Lane, LimitReason } from "../core/lane/lane.ts";
import { dayOf, isLimitReason, limitReached, nextDay } from "../core/lane/lane.ts";
import type { Clock } from "../platform/clock.ts";
import type { LaneStore, UsageStore } from "../store/port.ts";

export type LimitDeps = {
  store: Pick<LaneStore, "pauseLane"> & Pick<UsageStore, "usageOf">;
  clock: Clock;
  policy: Policy;
};

export class LaneLimits {
  readonly #deps: LimitDeps;
  readonly #wake: (laneId: string) => void;
  readonly #timers = new Map<string, () => void>();
  #closed = false;

  constructor(deps: LimitDeps, wake: (laneId: string) => void) {
    this.#deps = deps;
    this.#wake = wake;
  }

  /** Call it before a prompt is sent, and after a fresh read. True if nothing may be sent. */
  async stops(lane: Lane): Promise<boolean> {
    const reason = await this.#reached(lane);
    if (reason === null) return false;
    await this.#deps.store.pauseLane(lane.id, reason);
    this.#wakeTomorrow(lane.id);
    return true;
  }

  /** The lane, resumed if it was paused for a limit that no longer applies. */
  async reconsidered(lane: Lane): Promise<Lane> {
    if (!isLimitReason(lane.pausedReason)) return lane;
    if ((await this.#reached(lane)) === null) return this.#deps.store.pauseLane(lane.id, null);
    this.#wakeTomorrow(lane.id);
    return lane;
  }

  close(): void {
    this.#closed = true;
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }

  async #reached({ id }: Lane): Promise<LimitReason | null> {
    const { store, clock, policy } = this.#deps;
    const limits = policy.limits.byLane[id] ?? policy.limits.everyLane;
    return limitReached(limits, await store.usageOf(id, dayOf(clock.now())));
  }

  #wakeTomorrow(laneId: string): void {
    if (this.#closed || this.#timers.has(laneId)) return;
    const { clock } = this.#deps;
    const wake = () => {
      this.#timers.delete(laneId);
      this.#wake(laneId);
    };
    this.#timers.set(laneId, clock.at(nextDay(clock.now()), wake));
  }
}

/**
 * Tracks failures of agent processes: the backoff of each lane, the lanes that keep failing, and whether the program
 * runs at all. A failure in one lane says nothing about other lanes.
 */
import type { Clock } from "../../platform/clock.ts";

/** `everywhere`: the program would have failed in any lane. */
export type StartFailure = { reason: string; everywhere: boolean };

type LaneFailure = StartFailure & { count: number; notBefore: number };

export type ProcessFailuresOptions = { clock: Clock; firstWaitMs: number; longestWaitMs: number };

/** A failure expires after this many of the longest waits. A lane with something to send retries well before that. */
const waitsRemembered = 5;

export class ProcessFailures {
  readonly #options: ProcessFailuresOptions;
  /** By lane, until a turn ends in that lane. */
  readonly #failures = new Map<string, LaneFailure>();
  /** By lane, in this run. */
  readonly #totals = new Map<string, number>();
  /** Lanes in which the last start succeeded. */
  readonly #started = new Set<string>();

  constructor(options: ProcessFailuresOptions) {
    this.#options = options;
  }

  started(laneId: string): void {
    this.#started.add(laneId);
    for (const failure of this.#failures.values()) failure.everywhere = false;
  }

  /** A turn has ended. */
  worked(laneId: string): void {
    this.#failures.delete(laneId);
  }

  startFailed(laneId: string, failure: StartFailure): void {
    this.#started.delete(laneId);
    this.#add(laneId, failure);
  }

  died(laneId: string, reason: string): void {
    this.#add(laneId, { reason, everywhere: false });
  }

  laneRemoved(laneId: string): void {
    this.#started.delete(laneId);
    this.#failures.delete(laneId);
    this.#totals.delete(laneId);
  }

  /** How often the lane's process has failed in this run. */
  total(laneId: string): number {
    return this.#totals.get(laneId) ?? 0;
  }

  /** Null if the lane's process may be started now. */
  backoffReason(laneId: string): string | null {
    const failure = this.#failures.get(laneId);
    return failure && failure.notBefore > this.#options.clock.now() ? failure.reason : null;
  }

  /** The last failure of a lane that failed more than once. A single failure may be a coincidence. */
  repeated(laneId: string): string | null {
    const failure = this.#recent(laneId);
    return failure && failure.count > 1 ? failure.reason : null;
  }

  /** The reason if the program runs in none of these lanes. A lane that was not tried yet may work. */
  inAll(laneIds: readonly string[]): string | null {
    const everywhere = laneIds.map((id) => this.#recent(id)).find((failure) => failure?.everywhere);
    if (everywhere) return everywhere.reason;
    const reasons = laneIds.map((id) => (this.#started.has(id) ? null : this.repeated(id)));
    return reasons.every((reason) => reason !== null) ? (reasons[0] ?? null) : null;
  }

  #recent(laneId: string): LaneFailure | null {
    const { clock, longestWaitMs } = this.#options;
    const failure = this.#failures.get(laneId);
    return failure && clock.now() < failure.notBefore + waitsRemembered * longestWaitMs ? failure : null;
  }

  #add(laneId: string, failure: StartFailure): void {
    const { clock, firstWaitMs, longestWaitMs } = this.#options;
    const count = (this.#failures.get(laneId)?.count ?? 0) + 1;
    const wait = Math.min(firstWaitMs * 2 ** (count - 1), longestWaitMs);
    this.#totals.set(laneId, this.total(laneId) + 1);
    this.#failures.set(laneId, { ...failure, count, notBefore: clock.now() + wait });
  }
}

/**
 * What is known of programs that fail: when one may be started again in its lane, which lanes have trouble, and whether
 * the program runs at all. One bad lane says nothing about the others.
 */
import type { Clock } from "../../clock.ts";

/** `everywhere`: whichever lane it was started for, it would not have run. */
export type Failing = { why: string; everywhere: boolean };

type Failure = Failing & { count: number; notBefore: number };

export type FailuresOptions = { clock: Clock; firstWaitMs: number; longestWaitMs: number };

/**
 * Who has something to send tries again well before so many of the longest waits are over. After that nobody knows what
 * a start would do.
 */
const waitsRemembered = 5;

export class Failures {
  readonly #options: FailuresOptions;
  /** By lane, until a turn ends in it. */
  readonly #failures = new Map<string, Failure>();
  /** Lanes in which it answered when it was last started. */
  readonly #started = new Set<string>();

  constructor(options: FailuresOptions) {
    this.#options = options;
  }

  started(laneId: string): void {
    this.#started.add(laneId);
    for (const failure of this.#failures.values()) failure.everywhere = false;
  }

  /** A turn has come to its end. */
  worked(laneId: string): void {
    this.#failures.delete(laneId);
  }

  notStarted(laneId: string, failing: Failing): void {
    this.#started.delete(laneId);
    this.#failed(laneId, failing);
  }

  died(laneId: string, why: string): void {
    this.#failed(laneId, { why, everywhere: false });
  }

  laneRemoved(laneId: string): void {
    this.#started.delete(laneId);
    this.#failures.delete(laneId);
  }

  /** Why the lane's program is not started at this moment. */
  holdingBack(laneId: string): string | null {
    const failure = this.#failures.get(laneId);
    return failure && failure.notBefore > this.#options.clock.now() ? failure.why : null;
  }

  /** Why it failed last, where it fails again and again. Once may happen to any program. */
  repeated(laneId: string): string | null {
    const failure = this.#recent(laneId);
    return failure && failure.count > 1 ? failure.why : null;
  }

  /** Why it runs in none of these lanes. One that nobody has tried yet may be well. */
  inAll(laneIds: readonly string[]): string | null {
    const everywhere = laneIds.map((id) => this.#recent(id)).find((failure) => failure?.everywhere);
    if (everywhere) return everywhere.why;
    const all = laneIds.map((id) => (this.#started.has(id) ? null : this.repeated(id)));
    return all.every((why) => why !== null) ? (all[0] ?? null) : null;
  }

  #recent(laneId: string): Failure | null {
    const { clock, longestWaitMs } = this.#options;
    const failure = this.#failures.get(laneId);
    return failure && clock.now() < failure.notBefore + waitsRemembered * longestWaitMs ? failure : null;
  }

  #failed(laneId: string, failing: Failing): void {
    const { clock, firstWaitMs, longestWaitMs } = this.#options;
    const count = (this.#failures.get(laneId)?.count ?? 0) + 1;
    const wait = Math.min(firstWaitMs * 2 ** (count - 1), longestWaitMs);
    this.#failures.set(laneId, { ...failing, count, notBefore: clock.now() + wait });
  }
}

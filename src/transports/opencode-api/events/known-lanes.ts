/**
 * The lanes that clients know of by now, with what the hub remembers of each, and what is still known of those that were
 * removed.
 */
import type { Lane } from "../../../core/lane/lane.ts";
import type { LaneBefore } from "./frames-of.ts";

const maxRemoved = 1000;

export class KnownLanes {
  readonly #lanes: Map<string, Lane>;
  readonly #removed = new Map<string, Lane>();
  readonly #heardAt = new Map<string, number>();
  #wake: (() => void)[] = [];

  constructor(lanes: readonly Lane[]) {
    this.#lanes = new Map(lanes.map((lane) => [lane.id, lane]));
  }

  has(laneId: string): boolean {
    return this.#lanes.has(laneId);
  }

  /** When something was last heard of it; null when that is not known. */
  heardAt(laneId: string): number | null {
    return this.#heardAt.get(laneId) ?? null;
  }

  /** Of a lane that is gone, or not told of yet, nothing is remembered: nobody would say when to forget it. */
  heard(laneId: string, at: number): void {
    if (this.#lanes.has(laneId)) this.#heardAt.set(laneId, at);
  }

  get directories(): string[] {
    return [...this.#lanes.values()].map(({ directory }) => directory);
  }

  before(laneId: string): LaneBefore {
    const lane = this.#lanes.get(laneId);
    return { lane: lane ?? this.#removed.get(laneId) ?? null, isKnown: lane !== undefined };
  }

  changed(laneId: string, lane: Lane | null): void {
    const known = this.#lanes.get(laneId);
    if (lane) {
      this.#lanes.set(laneId, lane);
      this.#removed.delete(laneId);
    } else if (known) {
      this.#lanes.delete(laneId);
      this.#heardAt.delete(laneId);
      this.#removed.set(laneId, known);
    }
    const [oldest] = this.#removed.keys();
    if (oldest !== undefined && this.#removed.size > maxRemoved) this.#removed.delete(oldest);
  }

  /** Whoever waits for a lane to be told looks again. */
  wake(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const go of waiting) go();
  }

  woken(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }
}

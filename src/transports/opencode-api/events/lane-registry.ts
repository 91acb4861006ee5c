/** The lanes that clients know, the time of each lane's last event, and recently removed lanes. */
import type { Lane } from "../../../core/lane/lane.ts";
import type { PreviousLane } from "./make-frames.ts";

const maxRemoved = 1000;

export class LaneRegistry {
  readonly #lanes: Map<string, Lane>;
  readonly #removed = new Map<string, Lane>();
  readonly #lastEventAt = new Map<string, number>();

  constructor(lanes: readonly Lane[]) {
    this.#lanes = new Map(lanes.map((lane) => [lane.id, lane]));
  }

  /** Null if unknown. */
  lastEventAt(laneId: string): number | null {
    return this.#lastEventAt.get(laneId) ?? null;
  }

  /** Ignores an unknown lane, whose entry would never be forgotten. */
  setLastEventAt(laneId: string, at: number): void {
    if (this.#lanes.has(laneId)) this.#lastEventAt.set(laneId, at);
  }

  get directories(): string[] {
    return [...this.#lanes.values()].map(({ directory }) => directory);
  }

  previous(laneId: string): PreviousLane {
    const lane = this.#lanes.get(laneId);
    return { lane: lane ?? this.#removed.get(laneId) ?? null, isKnown: lane !== undefined };
  }

  update(laneId: string, lane: Lane | null): void {
    const known = this.#lanes.get(laneId);
    if (lane) {
      this.#lanes.set(laneId, lane);
      this.#removed.delete(laneId);
    } else if (known) {
      this.#lanes.delete(laneId);
      this.#lastEventAt.delete(laneId);
      this.#removed.set(laneId, known);
    }
    const [oldest] = this.#removed.keys();
    if (oldest !== undefined && this.#removed.size > maxRemoved) this.#removed.delete(oldest);
  }
}

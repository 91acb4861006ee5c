/**
 * Limits how many lanes work on messages from one source at a time. The others wait in line, oldest first, and are
 * moved as soon as a slot is free. A message gets its slot when it is admitted, so that its sender can be told
 * immediately that it waits.
 */
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { isOutstanding } from "../core/delivery/record.ts";
import type { Source } from "../core/message/message.ts";
import type { LedgerStore } from "../store/port.ts";

export type TurnLimitOptions = { source: Source; max: number };

type Place = { deliveryId: string; createdAt: number };

export class TurnLimit {
  readonly #options: TurnLimitOptions;
  readonly #store: Pick<LedgerStore, "lanesWithWork" | "outstanding" | "delivery">;
  readonly #move: (laneId: string) => Promise<void>;
  /** By lane: the delivery that is being worked on, or is about to be sent. */
  readonly #working = new Map<string, string>();
  readonly #waiting = new Map<string, Place>();
  /** Those whose lanes are being moved. */
  readonly #called = new Set<Place>();

  constructor(
    options: TurnLimitOptions,
    store: Pick<LedgerStore, "lanesWithWork" | "outstanding" | "delivery">,
    move: (laneId: string) => Promise<void>,
  ) {
    this.#options = options;
    this.#store = store;
    this.#move = move;
  }

  /** Counts deliveries that an earlier run has sent. Await it before any lane is moved. */
  async load(): Promise<void> {
    for (const laneId of await this.#store.lanesWithWork()) {
      const holder = await this.#store.outstanding(laneId);
      if (holder?.source === this.#options.source) this.#working.set(laneId, holder.id);
    }
  }

  /** Call it before a message is sent for the first time. */
  admits(record: DeliveryRecord): boolean {
    const { id, laneId, source, createdAt } = record;
    if (source !== this.#options.source) return true;
    if (!this.#working.has(laneId) && this.#free <= this.#olderThan(record)) {
      this.#waiting.set(laneId, { deliveryId: id, createdAt });
      return false;
    }
    this.#enter(laneId, id);
    return true;
  }

  waits(laneId: string): boolean {
    return this.#waiting.has(laneId);
  }

  follow(record: DeliveryRecord, isAdmitted: boolean): void {
    if (record.source !== this.#options.source) return;
    const { id, laneId, status } = record;
    if (isAdmitted && !this.#waiting.has(laneId) && !this.#working.has(laneId)) this.admits(record);
    if (isOutstanding(record)) this.#enter(laneId, id);
    else if (status !== "pending") this.#leave(laneId, id);
  }

  /** The lane was moved as far as possible. A message that could not be sent gives its slot to others. */
  async settle(laneId: string): Promise<void> {
    const id = this.#working.get(laneId);
    const record = id === undefined ? null : await this.#store.delivery(id);
    if (id !== undefined && !(record && isOutstanding(record))) this.#leave(laneId, id);
  }

  get #free(): number {
    return this.#options.max - this.#working.size;
  }

  #olderThan({ laneId, createdAt }: DeliveryRecord): number {
    return [...this.#waiting].filter(([lane, place]) => lane !== laneId && place.createdAt < createdAt).length;
  }

  #enter(laneId: string, deliveryId: string): void {
    this.#working.set(laneId, deliveryId);
    this.#waiting.delete(laneId);
  }

  #leave(laneId: string, deliveryId: string): void {
    if (this.#waiting.get(laneId)?.deliveryId === deliveryId) this.#waiting.delete(laneId);
    if (this.#working.get(laneId) === deliveryId) this.#working.delete(laneId);
    this.#callNext();
  }

  #callNext(): void {
    const line = [...this.#waiting].sort(([, a], [, b]) => a.createdAt - b.createdAt);
    for (const [laneId, place] of line.slice(0, Math.max(0, this.#free))) {
      if (!this.#called.has(place)) void this.#call(laneId, place);
    }
  }

  async #call(laneId: string, place: Place): Promise<void> {
    this.#called.add(place);
    await this.#move(laneId);
    this.#called.delete(place);
    // A paused or removed lane must not block the others. It asks again when it is moved.
    if (this.#waiting.get(laneId) === place) this.#waiting.delete(laneId);
    this.#callNext();
  }
}

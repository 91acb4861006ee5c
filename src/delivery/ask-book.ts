/**
 * What the agents wait for a person to decide, as the last look showed it. Kept in memory: an ask lives in the agent
 * program, and every delivery that is blocked by one is looked at again after a start.
 */
import type { Ask } from "../runtimes/port.ts";
import type { DeliveryRecord } from "./record.ts";
import { openStatuses } from "./record.ts";

export type OpenAsk = Pick<Ask, "id" | "kind" | "title"> & {
  laneId: string;
  deliveryId: string | null;
  messageId: string | null;
  /** Who sent the message that the agent works on. */
  person: string | null;
  since: number;
};

export class AskBook {
  readonly #open = new Map<string, OpenAsk>();
  readonly #listeners = new Set<() => void>();

  /** Oldest first. */
  list(): OpenAsk[] {
    return [...this.#open.values()].sort((one, other) => one.since - other.since);
  }

  find(askId: string): OpenAsk | null {
    return this.#open.get(askId) ?? null;
  }

  /** All asks that a look at a delivery's sessions showed. */
  seen(record: DeliveryRecord, asks: readonly Ask[], now: number): void {
    const ids = new Set(asks.map((ask) => ask.id));
    const gone = this.#of(record.id).filter((ask) => !ids.has(ask.id));
    const fresh = asks.filter((ask) => !this.#open.has(ask.id));
    for (const ask of gone) this.#open.delete(ask.id);
    for (const { id, kind, title, askedAt } of fresh) {
      const { laneId, messageId, replyRecipient: person } = record;
      this.#open.set(id, { id, kind, title, laneId, deliveryId: record.id, messageId, person, since: askedAt ?? now });
    }
    if (gone.length + fresh.length > 0) this.#tell();
  }

  answered(askId: string): void {
    if (this.#open.delete(askId)) this.#tell();
  }

  /** Nobody waits any more for what a delivery that has ended was blocked by. */
  changed(record: DeliveryRecord): void {
    if (this.#open.size > 0 && !openStatuses.includes(record.status)) this.seen(record, [], record.updatedAt);
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #of(deliveryId: string): OpenAsk[] {
    return [...this.#open.values()].filter((ask) => ask.deliveryId === deliveryId);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

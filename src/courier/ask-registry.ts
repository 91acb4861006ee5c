/**
 * What the agents wait for a person to decide, as the last look showed it. Kept in memory: an ask lives in the agent
 * program, and every delivery that is blocked by one is looked at again after a start.
 *
 * Events tell of an ask a moment before a look does, and of one in a turn that no delivery began only they do. So what
 * was told is listed and can be answered, too, without the message that it holds up; once a look has shown it, looks say
 * whether it is still asked.
 */

import type { DeliveryRecord } from "../core/delivery/record.ts";
import { isOutstanding } from "../core/delivery/record.ts";
import type { Ask } from "../core/transcript/transcript.ts";

export type OpenAsk = Pick<Ask, "id" | "kind" | "title"> & {
  laneId: string;
  deliveryId: string | null;
  messageId: string | null;
  /** Who sent the message that the agent works on. */
  person: string | null;
  since: number;
};

export type AnnouncedAsk = Pick<OpenAsk, "id" | "kind" | "title" | "laneId" | "since">;

export class AskRegistry {
  readonly #open = new Map<string, OpenAsk>();
  /** What events told of, until they tell how it ended. */
  readonly #told = new Map<string, AnnouncedAsk & { isSeen: boolean }>();
  readonly #listeners = new Set<() => void>();

  /** Oldest first. */
  list(): OpenAsk[] {
    const told = [...this.#told.values()].filter(({ isSeen }) => !isSeen);
    const unseen = told.map(({ id, kind, title, laneId, since }): OpenAsk => {
      return { id, kind, title, laneId, deliveryId: null, messageId: null, person: null, since };
    });
    return [...this.#open.values(), ...unseen].sort((one, other) => one.since - other.since);
  }

  /** The lane whose agent asks this. */
  laneOf(askId: string): string | null {
    return this.#open.get(askId)?.laneId ?? this.#told.get(askId)?.laneId ?? null;
  }

  told(ask: AnnouncedAsk): void {
    this.#told.set(ask.id, { ...ask, isSeen: this.#open.has(ask.id) });
  }

  /** All asks that a look at a delivery's sessions showed. Those in the turn of a later delivery are not its own. */
  seen(record: DeliveryRecord, asks: readonly Ask[], now: number): void {
    if (!mayAsk(record)) return;
    const ids = new Set(asks.map((ask) => ask.id));
    const fresh = asks.filter((ask) => !this.#open.has(ask.id));
    const gone = this.#forget(record.id, (ask) => !ids.has(ask.id));
    for (const { id, kind, title, askedAt } of fresh) {
      const told = this.#told.get(id);
      if (told) told.isSeen = true;
      const { laneId, messageId, replyRecipient: person } = record;
      this.#open.set(id, { id, kind, title, laneId, deliveryId: record.id, messageId, person, since: askedAt ?? now });
    }
    if (gone + fresh.length > 0) this.#tell();
  }

  answered(askId: string): void {
    this.#told.delete(askId);
    if (this.#open.delete(askId)) this.#tell();
  }

  /** Nobody waits any more for what the turn of a delivery was blocked by, once that is over. */
  changed(record: DeliveryRecord): void {
    if (!mayAsk(record) && this.#forget(record.id, () => true) > 0) this.#tell();
  }

  /** Nobody can answer any more what was asked in a lane that is gone. */
  laneRemoved(laneId: string): void {
    const isIts = (ask: AnnouncedAsk) => ask.laneId === laneId;
    for (const ask of [...this.#told.values()].filter(isIts)) this.#told.delete(ask.id);
    const open = [...this.#open.values()].filter(isIts);
    for (const ask of open) this.#open.delete(ask.id);
    if (open.length > 0) this.#tell();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #forget(deliveryId: string, which: (ask: OpenAsk) => boolean): number {
    const forgotten = [...this.#open.values()].filter((ask) => ask.deliveryId === deliveryId && which(ask));
    for (const ask of forgotten) this.#open.delete(ask.id);
    return forgotten.length;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A turn may go on after its message was answered, and ask something that keeps the lane waiting. */
function mayAsk(record: DeliveryRecord): boolean {
  return record.status === "pending" || (record.status !== "cancelled" && isOutstanding(record));
}

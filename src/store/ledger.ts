/** The one way to change a delivery: commits events through the store, then tells those who listen. */

import type { DeliveryChange, DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { FailPointHook } from "../core/delivery/fail-points.ts";
import type { Message, OutgoingMail } from "../core/message/message.ts";
import type { Applied, Store } from "./port.ts";

export class Ledger {
  readonly #store: Store;
  readonly #failPoint: FailPointHook | undefined;
  readonly #onError: (failure: { error: unknown }) => void;
  readonly #listeners = new Set<(change: DeliveryChange) => void>();

  constructor(store: Store, failPoint: FailPointHook | undefined, onError: (failure: { error: unknown }) => void) {
    this.#store = store;
    this.#failPoint = failPoint;
    this.#onError = onError;
  }

  commit(id: string, events: readonly DeliveryEvent[], mail: readonly OutgoingMail[] = []): Promise<Applied> {
    return this.around(events, () => this.#store.apply(id, events, mail));
  }

  /** For the commits that begin a record, which are made elsewhere. */
  async around<T extends Applied>(
    events: readonly DeliveryEvent[],
    commit: () => Promise<T>,
    admitted?: Message,
  ): Promise<T> {
    for (const event of events) this.#failPoint?.(`before_commit.${event.type}`);
    const applied = await commit();
    if (applied.outcome === "applied") {
      for (const event of events) this.#failPoint?.(`after_commit.${event.type}`);
      const { record, before } = applied;
      this.#announce({ record, events, ...(before ? { before } : {}), ...(admitted ? { admitted } : {}) });
    }
    return applied;
  }

  /** Listeners hear of durable changes only, in the order in which they were made. */
  onChange(listener: (change: DeliveryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announce(change: DeliveryChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // The change is durable; whoever made it must not hear that it failed.
        this.#onError({ error });
      }
    }
  }
}

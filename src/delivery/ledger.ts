/** The one way to change a delivery: commits events through the store, then tells those who listen. */
import type { Applied, OutgoingMail, Store } from "../store/port.ts";
import type { DeliveryEvent } from "./delivery-event.ts";
import type { Reach } from "./fail-points.ts";
import type { DeliveryRecord } from "./record.ts";

/** `before` is the record as it was; one that begins has none. */
export type Change = { record: DeliveryRecord; before?: DeliveryRecord; events: readonly DeliveryEvent[] };

export class Ledger {
  readonly #store: Store;
  readonly #reach: Reach;
  readonly #onTrouble: (trouble: { error: unknown }) => void;
  readonly #listeners = new Set<(change: Change) => void>();

  constructor(store: Store, reach: Reach, onTrouble: (trouble: { error: unknown }) => void) {
    this.#store = store;
    this.#reach = reach;
    this.#onTrouble = onTrouble;
  }

  commit(id: string, events: readonly DeliveryEvent[], mail: readonly OutgoingMail[] = []): Promise<Applied> {
    return this.around(events, () => this.#store.apply(id, events, mail));
  }

  /** For the commits that begin a record, which are made elsewhere. */
  async around<T extends Applied>(events: readonly DeliveryEvent[], commit: () => Promise<T>): Promise<T> {
    for (const event of events) this.#reach(`before_commit.${event.type}`);
    const applied = await commit();
    if (applied.outcome === "applied") {
      for (const event of events) this.#reach(`after_commit.${event.type}`);
      const { record, before } = applied;
      this.#announce({ record, events, ...(before ? { before } : {}) });
    }
    return applied;
  }

  /** Listeners hear of durable changes only, in the order in which they were made. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announce(change: Change): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // The change is durable; whoever made it must not hear that it failed.
        this.#onTrouble({ error });
      }
    }
  }
}

/** The one way to change a delivery: commits events through the store, and notifies listeners once they are durable. */

import type { DeliveryChange, DeliveryEvent, DeliveryEventType } from "../core/delivery/delivery-event.ts";
import type { FailPointHook } from "../core/delivery/fail-points.ts";
import type { OutgoingMail } from "../core/delivery/outgoing-mail.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Message } from "../core/message/message.ts";
import type { Admission, AdmissionRequest, Applied, LedgerStore, Staged } from "./port.ts";

type LedgerVerbs = Pick<LedgerStore, "stage" | "stageAdmission" | "rebuild">;

export class Ledger {
  readonly #store: LedgerVerbs;
  readonly #failPoint: FailPointHook | undefined;
  readonly #onError: (failure: { error: unknown }) => void;
  readonly #listeners = new Set<(change: DeliveryChange) => void>();

  constructor(
    store: LedgerVerbs,
    failPoint: FailPointHook | undefined,
    onError: (failure: { error: unknown }) => void,
  ) {
    this.#store = store;
    this.#failPoint = failPoint;
    this.#onError = onError;
  }

  async commit(id: string, events: readonly DeliveryEvent[], mail: readonly OutgoingMail[] = []): Promise<Applied> {
    const { result, durable } = await this.stage(id, events, mail);
    await durable;
    return result;
  }

  /** For a caller that continues before the change is durable. It must handle a rejection of `durable`. */
  async stage(
    id: string,
    events: readonly DeliveryEvent[],
    mail: readonly OutgoingMail[] = [],
  ): Promise<Staged<Applied>> {
    const types = events.map(({ type }) => type);
    this.#reach("before_commit", types);
    const { result, durable } = await this.#store.stage(id, events, mail);
    if (result.outcome !== "applied") return { result, durable };
    const { record, before, begun = [] } = result;
    const announced = this.#announced(durable, types, { record, events, ...(before ? { before } : {}) });
    const mailed = begun.map(({ message, delivery }) =>
      this.#announced(durable, ["admitted"], admission(delivery, message)),
    );
    return { result, durable: mailed.length === 0 ? announced : Promise.all([announced, ...mailed]).then(() => {}) };
  }

  /** A message to a lane begins a delivery; one to a person does not. */
  async admit(request: AdmissionRequest): Promise<Admission> {
    const { delivery: record, message: admitted } = request;
    if (record) this.#reach("before_commit", ["admitted"]);
    const { result, durable } = await this.#store.stageAdmission(request);
    if (result.outcome !== "admitted" || !record) await durable;
    else await this.#announced(durable, ["admitted"], admission(result.delivery ?? record, admitted));
    return result;
  }

  async rebuild(record: DeliveryRecord): Promise<Applied> {
    this.#reach("before_commit", ["rebuilt"]);
    const applied = await this.#store.rebuild(record);
    if (applied.outcome !== "applied") return applied;
    const event = { type: "rebuilt", at: record.createdAt, record } as const;
    await this.#announced(Promise.resolve(), ["rebuilt"], { record, events: [event] });
    return applied;
  }

  /** Listeners get only durable changes, in the order in which they were made. */
  onChange(listener: (change: DeliveryChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #announced(durable: Promise<void>, types: readonly DeliveryEventType[], change: DeliveryChange): Promise<void> {
    return durable.then(() => {
      this.#reach("after_commit", types);
      for (const listener of this.#listeners) {
        try {
          listener(change);
        } catch (error) {
          // The change is durable, so its caller must not see it fail.
          this.#onError({ error });
        }
      }
    });
  }

  #reach(moment: "before_commit" | "after_commit", types: readonly DeliveryEventType[]): void {
    if (this.#failPoint) for (const type of types) this.#failPoint(`${moment}.${type}`);
  }
}

function admission(record: DeliveryRecord, admitted: Message): DeliveryChange {
  return { record, events: [{ type: "admitted", at: record.createdAt, record }], admitted };
}

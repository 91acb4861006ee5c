/** The one way to change a delivery: commits events through the store, past the fail points of each. */

import type { DeliveryEvent, DeliveryEventType, OutgoingMail } from "../core/delivery/delivery-event.ts";
import type { FailPointHook } from "../core/delivery/fail-points.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { Admission, AdmissionRequest, Applied, LedgerStore, Staged } from "./port.ts";

type LedgerVerbs = Pick<LedgerStore, "stage" | "stageAdmission" | "rebuild">;

export class Ledger {
  readonly #store: LedgerVerbs;
  readonly #failPoint: FailPointHook | undefined;

  constructor(store: LedgerVerbs, failPoint?: FailPointHook) {
    this.#store = store;
    this.#failPoint = failPoint;
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
    return { result, durable: durable.then(() => this.#reach("after_commit", types)) };
  }

  /** A message to a lane begins a delivery; one to a person does not. */
  async admit(request: AdmissionRequest): Promise<Admission> {
    if (request.delivery) this.#reach("before_commit", ["admitted"]);
    const { result, durable } = await this.#store.stageAdmission(request);
    await durable;
    if (request.delivery && result.outcome === "admitted") this.#reach("after_commit", ["admitted"]);
    return result;
  }

  async rebuild(record: DeliveryRecord): Promise<Applied> {
    this.#reach("before_commit", ["rebuilt"]);
    const applied = await this.#store.rebuild(record);
    if (applied.outcome === "applied") this.#reach("after_commit", ["rebuilt"]);
    return applied;
  }

  #reach(moment: "before_commit" | "after_commit", types: readonly DeliveryEventType[]): void {
    if (this.#failPoint) for (const type of types) this.#failPoint(`${moment}.${type}`);
  }
}

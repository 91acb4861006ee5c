/** A store that fails right after committing an event, as if the program died there, and from then on. */
import type { DeliveryEventType } from "../../../src/core/delivery/delivery-event.ts";
import type { Store } from "../../../src/store/store.ts";

export function failureOf(store: Store, type: DeliveryEventType): { happened: boolean } {
  const failure = { happened: false };
  const { stage } = store;
  let armed = false;
  store.stage = async (id, events, mail) => {
    if (failure.happened) throw new Error("gone");
    armed ||= events.some((event) => event.type === "proven");
    const staged = await stage(id, events, mail);
    if (!armed || !events.some((event) => event.type === type)) return staged;
    failure.happened = true;
    await staged.durable;
    throw new Error("gone");
  };
  return failure;
}

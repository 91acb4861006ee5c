/** Lanes move concurrently. A write that fails affects no other write of the same tick. */
import { expect, it } from "vitest";
import { payloadHash } from "../../../src/core/message/message.ts";
import { admit, aMessage, move, recordFor, submit, tryToAdmit } from "../../support/core/deliveries.ts";
import { aLane } from "../../support/daemon/waybill.ts";
import type { Subject } from "../store-conformance.ts";

export function manyAtOnce(subject: Subject): void {
  it("a thousand messages in one tick are all admitted, in order", async () => {
    const { store } = subject;
    const ids = Array.from({ length: 1000 }, (_, index) => `m${index}`);
    const record = await recordFor(store, aMessage({ id: "m" }));
    const admissions = await Promise.all(
      ids.map((id) => {
        const message = aMessage({ id });
        const delivery = { ...record, id: `d-${id}`, messageId: id };
        return store.admit({ message, payloadHash: payloadHash(message), delivery, choice: null });
      }),
    );
    expect(new Set(admissions.map((one) => one.outcome))).toEqual(new Set(["admitted"]));
    expect((await store.deliveries({ limit: 2000 })).items.map((one) => one.messageId).toReversed()).toEqual(ids);
    expect(await store.head("lane")).toMatchObject({ messageId: "m0" });
  });

  it("a bad write in the middle fails alone", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2", recipient: { kind: "lane", lane: "other" } });
    await store.putLane(aLane({ id: "third" }));
    const three = await admit(store, { id: "m3", recipient: { kind: "lane", lane: "third" } });
    const same = { messageId: "msg-same" };
    const outcomes = await Promise.allSettled([
      store.apply(one.id, [submit(one, same)]),
      store.apply(two.id, [submit(two, same)]),
      store.pauseLane("nowhere", "because"),
      store.apply(three.id, [submit(three)]),
      tryToAdmit(store, { id: "m4" }),
    ]);
    expect(outcomes.map((one) => one.status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled", "fulfilled"]);
    expect(await store.delivery(one.id)).toMatchObject({ status: "submitting" });
    expect(await store.delivery(two.id)).toEqual(two);
    expect(await store.delivery(three.id)).toMatchObject({ status: "submitting" });
    expect(await store.deliveryOf("lane", "m4")).toMatchObject({ status: "pending" });
  });

  it("writes of one tick build on each other", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const [, generation] = await Promise.all([
      store.openSession("lane", "session-1", 1),
      store.openSession("lane", "session-2", 2),
      move(store, record, submit(record)),
    ]);
    expect(generation).toMatchObject({ generation: 2, sessionId: "session-2" });
    expect(await store.outstanding("lane")).toMatchObject({ id: record.id });
  });
}

/** Everything promised survives a restart, and a closed store promises nothing more. */
import { expect, it } from "vitest";
import {
  accepted,
  admit,
  failedForGood,
  move,
  proven,
  start,
  submit,
  toPerson,
  tryToAdmit,
} from "../../support/core/deliveries.ts";
import { aLane } from "../../support/daemon/waybill.ts";
import type { Subject } from "../store-conformance.ts";

const lane = { kind: "lane", lane: "lane" } as const;
const user = { kind: "person", name: "user" } as const;

export function durability(subject: Subject): void {
  /** Everything that a store can return, in one value. */
  const everything = async () => {
    const { store } = subject;
    const deliveries = (await store.deliveries({ limit: 100 })).items;
    return {
      lanes: await store.lanes(),
      sessions: await store.sessions("lane"),
      mail: [await store.mailOf(lane, 100), await store.mailOf(user, 100)],
      deliveries,
      histories: await Promise.all(deliveries.map((one) => store.history(one.id))),
      outstanding: await store.outstanding("lane"),
      head: await store.head("lane"),
      work: await store.lanesWithWork(),
      nextReconcileAt: await store.nextReconcileAt(),
      due: await store.dueReconciles(Number.MAX_SAFE_INTEGER, 100),
      failedWithReply: await store.failedWithReply(),
      unrecorded: await store.unrecorded(),
    };
  };

  it("everything is the same after a restart", async () => {
    const { store } = subject;
    await store.putLane(aLane({ id: "third", team: "crew", member: "ada", contract: "tool" }));
    await store.openSession("lane", "session-1", start);
    await store.pauseLane("other", "lunch");
    const answered = await admit(store, { id: "m1" });
    await store.apply(answered.id, [submit(answered), accepted(), proven()], [toPerson({ id: "answer" })]);
    const failed = await admit(store, { id: "m2" });
    await move(store, failed, submit(failed), failedForGood(start, start + 60_000));
    const late = toPerson({ id: "late", fromLane: "lane", relayOfMessageId: "m2" });
    await store.admit({ message: late.message, payloadHash: late.payloadHash, delivery: null, choice: null });
    const open = await admit(store, { id: "m3" });
    await move(store, open, submit(open));
    await admit(store, { id: "m4", expiresAt: start + 5000 });

    const before = await everything();
    expect(before.deliveries).toHaveLength(4);
    expect(before.failedWithReply).toHaveLength(1);
    await subject.reopen();
    expect(await everything()).toEqual(before);
  });

  it("after a restart, message ids, lanes and runtime ids are still taken", async () => {
    const one = await admit(subject.store, { id: "m1" });
    const two = await admit(subject.store, { id: "m2" });
    const three = await admit(subject.store, { id: "m3", recipient: { kind: "lane", lane: "other" } });
    await move(subject.store, one, submit(one, { messageId: "msg-same" }));
    await subject.reopen();
    const { store } = subject;
    expect(await tryToAdmit(store, { id: "m1" })).toMatchObject({ outcome: "known" });
    expect(await tryToAdmit(store, { id: "m1", text: "other" })).toEqual({ outcome: "conflict" });
    expect(await store.apply(two.id, [submit(two)])).toMatchObject({ reason: "lane_held_by_another_delivery" });
    await expect(store.apply(three.id, [submit(three, { messageId: "msg-same" })])).rejects.toThrow();
  });

  it("messages keep their order across a restart", async () => {
    await admit(subject.store, { id: "m2" });
    await subject.reopen();
    await admit(subject.store, { id: "m1" });
    expect(await subject.store.head("lane")).toMatchObject({ messageId: "m2" });
  });

  it("writes requested before closing are stored", async () => {
    const asked = subject.store.openSession("lane", "session-1", start);
    await subject.reopen();
    expect(await asked).toMatchObject({ generation: 1 });
    expect(await subject.store.lane("lane")).toMatchObject({ sessionId: "session-1" });
  });

  it("a closed store refuses writes, and may be closed again", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const closed = store;
    await subject.reopen();
    await expect(closed.apply(record.id, [submit(record)])).rejects.toMatchObject({ code: "store_closed" });
    await expect(closed.putLane(aLane({ id: "x" }))).rejects.toMatchObject({ code: "store_closed" });
    await expect(closed.close()).resolves.toBeUndefined();
    expect(await subject.store.delivery(record.id)).toEqual(record);
  });
}

/** A caller that continues before a change is durable knows its result, and a failed change leaves nothing behind. */
import { expect, it } from "vitest";
import type { DeliveryChange } from "../../../src/core/delivery/delivery-event.ts";
import type { LogItem } from "../../../src/core/log/log-item.ts";
import { changesIn } from "../../../src/core/log/log-item.ts";
import { payloadHash } from "../../../src/core/message/message.ts";
import type { AdmissionRequest } from "../../../src/store/port.ts";
import {
  accepted,
  admit,
  aMessage,
  proven,
  recordFor,
  submit,
  toPerson,
  tryToAdmit,
} from "../../support/core/deliveries.ts";
import { aDelta, someEvents } from "../../support/core/events.ts";
import { aLane } from "../../support/daemon/waybill.ts";
import type { Subject } from "../store-conformance.ts";

const lane = { kind: "lane", lane: "lane" } as const;
const user = { kind: "person", name: "user" } as const;
const unwritable = { code: "store_unwritable" };

export function stagedWrites(subject: Subject): void {
  const admissionOf = async (id: string): Promise<AdmissionRequest> => {
    const message = aMessage({ id });
    const delivery = await recordFor(subject.store, message);
    return { message, payloadHash: payloadHash(message), delivery, choice: null };
  };

  it("the result is known immediately, and is durable once `durable` resolves", async () => {
    const record = await admit(subject.store, { id: "m1" });
    const order: string[] = [];
    subject.store.onLog((items) => order.push(...items.map(({ type }) => `told ${type}`)));
    const { result, durable } = await subject.store.stage(record.id, [submit(record)]);
    order.push(result.outcome);
    await durable;
    order.push("durable");
    expect(order).toEqual(["applied", "told delivery", "durable"]);
    await subject.reopen();
    expect(await subject.store.delivery(record.id)).toEqual(result.outcome === "applied" && result.record);
  });

  it("the next write sees it before it is durable", async () => {
    const { store } = subject;
    const changes: DeliveryChange[] = [];
    store.onLog((items) => changes.push(...changesIn(items)));
    const { result: admission, durable } = await store.stageAdmission(await admissionOf("m1"));
    if (admission.outcome !== "admitted" || !admission.delivery) throw new Error(`not admitted: ${admission.outcome}`);
    const { delivery } = admission;
    const steps = [[submit(delivery)], [accepted()], [proven()]];
    const staged = [];
    for (const events of steps) staged.push(await store.stage(delivery.id, events, []));
    expect(staged.map(({ result }) => result)).toMatchObject([
      { outcome: "applied", record: { status: "submitting", version: 2 } },
      { outcome: "applied", record: { status: "accepted", version: 3 } },
      { outcome: "applied", record: { status: "responded", version: 4 } },
    ]);
    const again = await store.stage(delivery.id, [submit(delivery)]);
    expect(again.result).toMatchObject({ outcome: "refused" });
    await Promise.all([durable, again.durable, ...staged.map((one) => one.durable)]);
    expect(changes.map(({ before }) => before?.status)).toEqual([undefined, "pending", "submitting", "accepted"]);
    expect((await store.history(delivery.id)).map(({ type }) => type)).toEqual([
      ...["admitted", "submit", "accepted", "proven"],
    ]);
  });

  it("a lane is held as soon as a submit is staged in it", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    const first = await store.stage(one.id, [submit(one)]);
    const second = await store.stage(two.id, [submit(two)]);
    expect(second.result).toMatchObject({ outcome: "refused", reason: "lane_held_by_another_delivery" });
    await Promise.all([first.durable, second.durable]);
    expect(await store.outstanding("lane")).toMatchObject({ id: one.id });
  });

  it("a staged message is known to the next one with its id", async () => {
    const { store } = subject;
    const request = await admissionOf("m1");
    const first = await store.stageAdmission(request);
    const second = await store.stageAdmission(request);
    const other = await store.stageAdmission({ ...request, payloadHash: "another" });
    expect([first, second, other].map(({ result }) => result.outcome)).toEqual(["admitted", "known", "conflict"]);
    await Promise.all([first, second, other].map(({ durable }) => durable));
    expect(await store.mailOf(lane, 10)).toHaveLength(1);
  });

  it("a change that throws leaves nothing behind, and affects none staged before or after it", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2", recipient: { kind: "lane", lane: "other" } });
    const same = { messageId: "msg-same" };
    const first = await store.stage(one.id, [submit(one, same)]);
    await expect(store.stage(two.id, [submit(two, same)], [toPerson({ id: "a1" })])).rejects.toThrow();
    const third = await store.stage(two.id, [submit(two)]);
    await Promise.all([first.durable, third.durable]);
    expect(third.result).toMatchObject({ outcome: "applied", record: { version: 2 } });
    expect(await store.message(user, "a1")).toBeNull();
    expect(await store.history(two.id)).toHaveLength(2);
  });

  it("when the commit fails, `durable` rejects for the change and everything built on it", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    subject.failNextCommit();
    const sent = await store.stage(record.id, [submit(record)]);
    const answered = await store.stage(record.id, [accepted(), proven()], [toPerson({ id: "a1" })]);
    const admitted = await store.stageAdmission(await admissionOf("m2"));
    const staged = [sent, answered, admitted];
    expect(staged.map(({ result }) => result.outcome)).toEqual(["applied", "applied", "admitted"]);
    for (const outcome of await Promise.allSettled(staged.map(({ durable }) => durable))) {
      expect(outcome).toMatchObject({ status: "rejected", reason: unwritable });
    }
  });

  it("when the commit fails, nothing is left and nothing is published, now or after a restart", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    await store.appendEvents(someEvents(1, 1), 100);
    const end = store.logEnd();
    const before = await subject.store.lanes();
    const told: LogItem[] = [];
    store.onLog((items) => told.push(...items));
    subject.failNextCommit();
    const staged = await store.stage(record.id, [submit(record), accepted(), proven()], [toPerson({ id: "a1" })]);
    const others = [
      store.appendEvents([...someEvents(2, 3), aDelta(3, "x")], 100),
      store.pauseLane("lane", "lunch"),
      store.openSession("other", "session-1", 1),
      store.putLane(aLane({ id: "third" })),
      tryToAdmit(store, { id: "m2" }),
    ];
    await expect(staged.durable).rejects.toMatchObject(unwritable);
    for (const outcome of await Promise.allSettled(others)) expect(outcome).toMatchObject({ reason: unwritable });
    const nothingIsLeft = async () => {
      const { store: now } = subject;
      expect([await now.delivery(record.id), await now.outstanding("lane")]).toEqual([record, null]);
      expect([await now.history(record.id), await now.head("lane")]).toMatchObject([[{ type: "admitted" }], record]);
      expect([await now.message(user, "a1"), await now.message(lane, "m2")]).toEqual([null, null]);
      expect(await now.message(lane, "m1")).toMatchObject({ readAt: null });
      expect([await now.lanes(), await now.sessions("other")]).toEqual([before, []]);
      expect([await now.lastEventSeq("lane"), now.logEnd()]).toEqual([1, end]);
      expect((await now.readLog({ after: end, limit: 10 })).items).toEqual([]);
      expect(await now.check()).toEqual([]);
    };
    await nothingIsLeft();
    expect(told).toEqual([]);
    await subject.reopen();
    await nothingIsLeft();
  });

  it("writes after a failed commit continue from the durable state", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const end = store.logEnd();
    subject.failNextCommit();
    const failed = await store.stage(record.id, [submit(record)]);
    await expect(failed.durable).rejects.toMatchObject(unwritable);
    const again = await store.stage(record.id, [submit(record)]);
    await store.appendEvents(someEvents(1, 2), 100);
    await again.durable;
    expect(again.result).toMatchObject({ outcome: "applied", record: { version: 2, attempts: 1 } });
    const { items, reset } = await store.readLog({ after: end, limit: 10 });
    expect([items.map(({ type }) => type), reset]).toEqual([["delivery", "event", "event"], null]);
    expect(items.at(-1)?.cursor).toBe(store.logEnd());
  });

  it("a reader can wait until what it read is durable, and learns if it never will be", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    await store.settled();
    const order: string[] = [];
    store.onLog(() => order.push("durable"));
    await store.stage(record.id, [submit(record)]);
    expect(await store.delivery(record.id)).toMatchObject({ status: "submitting" });
    await store.settled();
    order.push("settled");
    expect(order).toEqual(["durable", "settled"]);
    subject.failNextCommit();
    await store.stage(record.id, [accepted()]);
    await expect(store.settled()).rejects.toMatchObject(unwritable);
    expect(await store.delivery(record.id)).toMatchObject({ status: "submitting" });
    await expect(store.settled()).resolves.toBeUndefined();
  });

  it("changes staged before closing are durable", async () => {
    const record = await admit(subject.store, { id: "m1" });
    const { durable } = await subject.store.stage(record.id, [submit(record)]);
    await subject.reopen();
    await expect(durable).resolves.toBeUndefined();
    expect(await subject.store.delivery(record.id)).toMatchObject({ status: "submitting" });
  });

  it("a closed store stages nothing more", async () => {
    const record = await admit(subject.store, { id: "m1" });
    const request = await admissionOf("m2");
    const { store: closed } = subject;
    await subject.reopen();
    await expect(closed.stage(record.id, [submit(record)])).rejects.toMatchObject({ code: "store_closed" });
    await expect(closed.stageAdmission(request)).rejects.toMatchObject({ code: "store_closed" });
  });
}

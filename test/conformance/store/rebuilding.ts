/** An unread message without a record is found, and gets exactly one. */
import { expect, it } from "vitest";
import { untimed } from "../../../src/core/delivery/attempt.ts";
import { fold } from "../../../src/core/delivery/transition.ts";
import { payloadHash } from "../../../src/core/message/message.ts";
import { admit, aMessage, move, proven, recordFor, start, submit, toPerson } from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

export function rebuilding(subject: Subject): void {
  const withoutRecord = async (id: string) => {
    const message = aMessage({ id });
    await subject.store.admit({ message, payloadHash: payloadHash(message), delivery: null, choice: null });
    return recordFor(subject.store, message);
  };

  it("unread messages to lanes without a record are listed, oldest first", async () => {
    const { store } = subject;
    await withoutRecord("m2");
    await admit(store, { id: "m3" });
    await withoutRecord("m1");
    const mail = toPerson({ id: "p1" });
    await store.admit({ message: mail.message, payloadHash: mail.payloadHash, delivery: null, choice: null });
    expect((await store.unrecorded()).map((one) => one.id)).toEqual(["m2", "m1"]);
  });

  it("a rebuilt record starts its own history and continues like any other", async () => {
    const { store } = subject;
    const record = { ...(await withoutRecord("m1")), acceptanceUnknown: true };
    expect(await store.rebuild(record)).toEqual({ outcome: "applied", record, effects: [] });
    expect(await store.unrecorded()).toEqual([]);
    expect(await store.head("lane")).toEqual(record);
    expect(await store.history(record.id)).toEqual([{ type: "rebuilt", at: start, record }]);
    const { record: answered } = await move(store, record, submit(record), proven());
    expect(fold(await store.history(record.id))).toEqual(answered);
  });

  it("a message with a record does not get another", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    expect(await store.rebuild({ ...record, id: "another" })).toEqual({
      outcome: "refused",
      reason: "delivery_known",
      record,
    });
    expect((await store.deliveries({ limit: 10 })).items).toEqual([record]);
  });

  it("a message that is rebuilt twice in one tick gets one record", async () => {
    const { store } = subject;
    const record = await withoutRecord("m1");
    const both = await Promise.all([store.rebuild(record), store.rebuild(record)]);
    expect(both.map((one) => one.outcome)).toEqual(["applied", "refused"]);
    expect(await store.history(record.id)).toHaveLength(1);
  });

  it("a message that was never admitted gets no record", async () => {
    const { store } = subject;
    const record = await recordFor(store, aMessage({ id: "m1" }));
    expect(await store.rebuild(record)).toEqual({ outcome: "refused", reason: "message_unknown", record: null });
    expect(await store.delivery(record.id)).toBeNull();
  });

  it("runtime ids of attempts in a rebuilt record cannot be reused", async () => {
    const { store } = subject;
    const record = await withoutRecord("m1");
    const { attempt } = submit(record, { messageId: "msg-same" });
    await store.rebuild({
      ...record,
      runtimeKind: "stub",
      attempts: 1,
      attemptList: [{ ...untimed, ...attempt, sends: 1, left: true, submittedAt: start }],
    });
    const two = await admit(store, { id: "m2", recipient: { kind: "lane", lane: "other" } });
    await expect(store.apply(two.id, [submit(two, { messageId: "msg-same" })])).rejects.toThrow();
    expect(await store.apply(two.id, [submit(two)])).toMatchObject({ outcome: "applied" });
  });
}

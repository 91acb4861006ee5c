/** A read is committed with its proof, and mail is written with its events, in one transaction. */
import { expect, it } from "vitest";
import {
  admit,
  cancelled,
  failedForGood,
  move,
  proven,
  start,
  submit,
  toPerson,
} from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

const lane = { kind: "lane", lane: "lane" } as const;
const user = { kind: "person", name: "user" } as const;

export function readCommit(subject: Subject): void {
  const readAt = async (id: string) => (await subject.store.message(lane, id))?.readAt;

  it("a message is read from the moment of its proof and not before", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    await move(store, record, submit(record));
    expect(await readAt("m1")).toBeNull();
    await move(store, record, proven({ at: start + 7 }));
    expect(await readAt("m1")).toBe(start + 7);
  });

  it("proof alone does not mark a message as read if its read is committed elsewhere", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    await move(store, record, submit(record), proven({ readCommitted: false }));
    expect(await readAt("m1")).toBeNull();
    await move(store, record, { type: "read_committed", at: start + 9, diagnostics: [] });
    expect(await readAt("m1")).toBe(start + 9);
  });

  it("a proof refused in the same call does not mark the message as read", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const applied = await store.apply(record.id, [submit(record), proven(), proven()]);
    expect(applied.outcome).toBe("refused");
    expect(await readAt("m1")).toBeNull();
  });

  it("a message that failed for good stays unread until a person cancels it", async () => {
    const { store } = subject;
    const failed = await admit(store, { id: "m1" });
    await move(store, failed, submit(failed), failedForGood());
    expect(await readAt("m1")).toBeNull();
    await move(store, failed, cancelled(start + 3));
    expect(await readAt("m1")).toBe(start + 3);
  });

  it("a read of one message affects no other", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    await admit(store, { id: "m2" });
    await admit(store, { id: "m1", recipient: { kind: "lane", lane: "other" } });
    await move(store, record, submit(record), proven());
    expect(await readAt("m2")).toBeNull();
    expect(await store.message({ kind: "lane", lane: "other" }, "m1")).toMatchObject({ readAt: null });
  });

  it("outgoing mail is written with its events", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const answer = toPerson({ id: "answer", relayOfMessageId: "m1", text: "It is green." });
    await store.apply(record.id, [submit(record), proven()], [answer]);
    expect(await store.mailOf(user, 10)).toEqual([{ ...answer.message, readAt: null }]);
  });

  it("outgoing mail is not written when the events are refused", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    const applied = await store.apply(record.id, [proven()], [toPerson({ id: "answer" })]);
    expect(applied.outcome).toBe("refused");
    expect(await store.mailOf(user, 10)).toEqual([]);
  });

  it("outgoing mail is not written when the lane is held by another delivery", async () => {
    const { store } = subject;
    const holder = await admit(store, { id: "m1" });
    const second = await admit(store, { id: "m2" });
    await move(store, holder, submit(holder));
    const applied = await store.apply(second.id, [submit(second)], [toPerson({ id: "answer" })]);
    expect(applied.outcome).toBe("refused");
    expect(await store.mailOf(user, 10)).toEqual([]);
  });

  it("mail that already exists is left as it is, and written once", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    await store.apply(record.id, [submit(record)], [toPerson({ id: "note", text: "first" })]);
    await store.apply(record.id, [proven()], [toPerson({ id: "note", text: "second" })]);
    expect((await store.mailOf(user, 10)).map((mail) => mail.text)).toEqual(["first"]);
    expect(await store.delivery(record.id)).toMatchObject({ status: "responded" });
  });
}

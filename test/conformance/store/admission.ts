/** Admission is durable, idempotent by recipient and message id, and never takes a second body under one id. */
import { expect, it } from "vitest";
import type { LaneChange } from "../../../src/core/lane/lane.ts";
import { payloadHash } from "../../../src/core/message/message.ts";
import type { LaneChoice } from "../../../src/store/port.ts";
import type { Store } from "../../../src/store/store.ts";
import {
  admit,
  aMessage,
  move,
  recordFor,
  start,
  submit,
  toPerson,
  tryToAdmit,
} from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

const lane = { kind: "lane", lane: "lane" } as const;

/** A change to `lane`, based on its current state. */
async function choosing(store: Store, change: LaneChange): Promise<LaneChoice> {
  const seen = await store.lane("lane");
  if (!seen) throw new Error("the lane is missing");
  return {
    laneVersion: seen.version,
    wasUsed: (await store.deliveries({ laneId: "lane", limit: 1 })).items.length > 0,
    change,
  };
}

export function admission(subject: Subject): void {
  it("an admitted message is stored unread, with a waiting delivery", async () => {
    const { store } = subject;
    const message = aMessage({
      id: "m1",
      text: "Grüße 🚚 \u0000 'quoted' \n",
      taskRefs: [{ id: "t1", team: "crew", title: "Task" }],
      attachments: [{ id: "a1", name: "log.txt", mimeType: "text/plain", size: 12 }],
      expiresAt: start + 1000,
    });
    const record = await recordFor(store, message);
    expect(
      await store.admit({ message, payloadHash: payloadHash(message), delivery: record, choice: null }),
    ).toMatchObject({ outcome: "admitted" });
    expect(await store.message(lane, "m1")).toEqual({ ...message, readAt: null });
    expect(await store.deliveryOf("lane", "m1")).toEqual(record);
    expect(await store.delivery(record.id)).toEqual(record);
  });

  it("a message's choice for its lane is applied with the message, and published before it", async () => {
    const { store } = subject;
    const after = store.logEnd();
    const seen = await store.lane("lane");
    const choice = await choosing(store, { runtime: "another", model: "large", displayName: "Builds" });
    expect(await tryToAdmit(store, { id: "m1" }, choice)).toMatchObject({ outcome: "admitted" });
    expect(await store.lane("lane")).toEqual({ ...seen, ...choice.change, version: choice.laneVersion + 1 });
    const { items } = await store.readLog({ after, limit: 10 });
    expect(items.map(({ type }) => type)).toEqual(["lane", "message", "delivery"]);
  });

  it("of two messages with choices for the same lane version, the second is not admitted", async () => {
    const { store } = subject;
    const choices = [await choosing(store, { model: "one" }), await choosing(store, { model: "two" })];
    const both = await Promise.all(choices.map((choice, index) => tryToAdmit(store, { id: `m${index}` }, choice)));
    expect(both.map(({ outcome }) => outcome)).toEqual(["admitted", "lane_changed"]);
    expect(await store.lane("lane")).toMatchObject({ model: "one" });
    expect(await store.message(lane, "m1")).toBeNull();
    expect((await store.deliveries({ limit: 10 })).items).toHaveLength(1);
  });

  it("a choice from before the lane was used, paused or given a session is not applied", async () => {
    const { store } = subject;
    const happen = [
      () => admit(store, { id: "first" }),
      () => store.pauseLane("lane", "lunch"),
      () => store.openSession("lane", "session-1", 100),
    ];
    for (const [index, one] of happen.entries()) {
      const choice = await choosing(store, { model: "late" });
      await one();
      expect(await tryToAdmit(store, { id: `m${index}` }, choice)).toEqual({ outcome: "lane_changed" });
    }
    expect(await store.lane("lane")).toMatchObject({ model: null });
    expect(await tryToAdmit(store, { id: "m4" }, await choosing(store, {}))).toMatchObject({ outcome: "admitted" });
  });

  it("a known or conflicting message changes nothing about its lane", async () => {
    const { store } = subject;
    const choice = await choosing(store, { model: "late" });
    await admit(store, { id: "m1" });
    expect(await tryToAdmit(store, { id: "m1" }, choice)).toMatchObject({ outcome: "known" });
    expect(await tryToAdmit(store, { id: "m1", text: "other" }, choice)).toEqual({ outcome: "conflict" });
    expect(await store.lane("lane")).toMatchObject({ model: null, version: choice.laneVersion });
  });

  it("a choice for a removed lane is refused", async () => {
    const { store } = subject;
    const choice = await choosing(store, { model: "late" });
    const message = aMessage({ id: "m1" });
    const record = await recordFor(store, message);
    await store.removeLane("lane", 500);
    const admitted = store.admit({ message, payloadHash: payloadHash(message), delivery: record, choice });
    await expect(admitted).rejects.toMatchObject({ code: "lane_unknown" });
    expect(await store.lane("lane")).toBeNull();
  });

  it("the same message again is known and changes nothing", async () => {
    const { store } = subject;
    const first = await admit(store, { id: "m1" });
    const again = await tryToAdmit(store, { id: "m1", createdAt: start + 5000 });
    expect(again).toMatchObject({ outcome: "known", message: { createdAt: start }, delivery: { id: first.id } });
    expect((await store.deliveries({ limit: 10 })).items).toEqual([first]);
    expect(await store.history(first.id)).toHaveLength(1);
    expect(await store.mailOf(lane, 10)).toHaveLength(1);
  });

  it("the same message twice in one tick is admitted once", async () => {
    const { store } = subject;
    const both = await Promise.all([tryToAdmit(store, { id: "m1" }), tryToAdmit(store, { id: "m1" })]);
    expect(both.map((one) => one.outcome)).toEqual(["admitted", "known"]);
    expect((await store.deliveries({ limit: 10 })).items).toHaveLength(1);
  });

  it("a known message is returned with its delivery's current state", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    await move(store, record, submit(record));
    expect(await tryToAdmit(store, { id: "m1" })).toMatchObject({
      outcome: "known",
      delivery: { status: "submitting", version: 2 },
    });
  });

  it("the same id with another body is a conflict and changes nothing", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1", text: "one" });
    expect(await tryToAdmit(store, { id: "m1", text: "two" })).toEqual({ outcome: "conflict" });
    expect(await store.message(lane, "m1")).toMatchObject({ text: "one" });
    expect((await store.deliveries({ limit: 10 })).items).toEqual([record]);
    expect(await store.history(record.id)).toHaveLength(1);
  });

  it("the same id to two recipients is two messages", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m1", recipient: { kind: "lane", lane: "other" }, text: "something else" });
    const mail = toPerson({ id: "m1" });
    expect(
      await store.admit({ message: mail.message, payloadHash: mail.payloadHash, delivery: null, choice: null }),
    ).toMatchObject({ outcome: "admitted" });
    expect(one.id).not.toBe(two.id);
    expect(await store.deliveryOf("lane", "m1")).toEqual(one);
    expect(await store.deliveryOf("other", "m1")).toEqual(two);
  });

  it("identical text under two ids is two messages", async () => {
    const { store } = subject;
    await admit(store, { id: "m1", text: "same" });
    await admit(store, { id: "m2", text: "same" });
    expect((await store.deliveries({ limit: 10 })).items.map((one) => one.messageId)).toEqual(["m2", "m1"]);
  });

  it("a person's mailbox takes a message without a delivery, whatever the case of the name", async () => {
    const { store } = subject;
    const mail = toPerson({ id: "m1" }, "Ada");
    const outcome = await store.admit({
      message: mail.message,
      payloadHash: mail.payloadHash,
      delivery: null,
      choice: null,
    });
    expect(outcome).toMatchObject({ outcome: "admitted", delivery: null });
    expect(await store.message({ kind: "person", name: "ada" }, "m1")).toEqual({ ...mail.message, readAt: null });
    expect(await store.lanesWithWork()).toEqual([]);
  });

  it("a delivery to an unknown lane is refused with its message", async () => {
    const { store } = subject;
    const message = aMessage({ id: "m1" });
    const record = { ...(await recordFor(store, message)), laneId: "nowhere" };
    await expect(
      store.admit({ message, payloadHash: payloadHash(message), delivery: record, choice: null }),
    ).rejects.toThrow();
    expect(await store.message(lane, "m1")).toBeNull();
    expect(await tryToAdmit(store, { id: "m1" })).toMatchObject({ outcome: "admitted" });
  });

  it("a mailbox and a list of deliveries return the newest first, up to the limit", async () => {
    const { store } = subject;
    for (const id of ["m1", "m2", "m3"]) await admit(store, { id });
    await admit(store, { id: "x1", recipient: { kind: "lane", lane: "other" } });
    expect((await store.mailOf(lane, 2)).map((one) => one.id)).toEqual(["m3", "m2"]);
    expect((await store.deliveries({ laneId: "lane", limit: 2 })).items.map((one) => one.messageId)).toEqual([
      "m3",
      "m2",
    ]);
    expect((await store.deliveries({ limit: 2 })).items.map((one) => one.messageId)).toEqual(["x1", "m3"]);
  });

  it("a message that was never admitted is not found", async () => {
    const { store } = subject;
    expect(await store.message(lane, "m1")).toBeNull();
    expect(await store.deliveryOf("lane", "m1")).toBeNull();
    expect(await store.delivery("nothing")).toBeNull();
    expect(await store.history("nothing")).toEqual([]);
  });
}

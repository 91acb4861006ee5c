/** Replies are found by the lane whose agent wrote them and the message they name, and by nothing else. */
import { expect, it } from "vitest";
import { admit, failedForGood, move, proven, submit, toPerson } from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

export function replies(subject: Subject): void {
  const write = async (id: string, fromLane: string | null, relayOfMessageId: string | null, text = "done") => {
    const mail = toPerson({ id, from: "ada", fromLane, relayOfMessageId, text });
    await subject.store.admit({ message: mail.message, payloadHash: mail.payloadHash, delivery: null, choice: null });
  };
  const failed = async (id: string, lane = "lane") => {
    const record = await admit(subject.store, { id, recipient: { kind: "lane", lane } });
    return (await move(subject.store, record, submit(record), failedForGood())).record;
  };

  it("replies come oldest first, from that lane and to that message only", async () => {
    await write("r1", "lane", "m1");
    await write("r2", "other", "m1");
    await write("r3", "lane", "m2");
    await write("r4", "lane", null, "about m1");
    await write("r0", "lane", "m1");
    expect((await subject.store.repliesTo("m1", "lane")).map((one) => one.id)).toEqual(["r1", "r0"]);
    expect(await subject.store.repliesTo("m9", "lane")).toEqual([]);
  });

  it("a reply to another agent's lane counts like one to a person", async () => {
    await admit(subject.store, {
      id: "r1",
      fromLane: "lane",
      relayOfMessageId: "m1",
      recipient: { kind: "lane", lane: "other" },
    });
    expect((await subject.store.repliesTo("m1", "lane")).map((one) => one.id)).toEqual(["r1"]);
  });

  it("a failed delivery whose lane has replied is found", async () => {
    const record = await failed("m1");
    await failed("m2");
    expect(await subject.store.failedWithReply()).toEqual([]);
    await write("r1", "lane", "m1");
    expect(await subject.store.failedWithReply()).toEqual([record]);
  });

  it("a name proves nothing: a person's message under an agent's name is not the agent's reply", async () => {
    await failed("m1");
    await write("r1", null, "m1");
    expect(await subject.store.failedWithReply()).toEqual([]);
    expect(await subject.store.repliesTo("m1", "lane")).toEqual([]);
  });

  it("Waybill's own failure notice is not a reply, nor is another lane's message", async () => {
    await failed("m1");
    await write("notice", null, "m1");
    await write("r1", "other", "m1");
    expect(await subject.store.failedWithReply()).toEqual([]);
  });

  it("a reply to an answered or waiting message is not late proof", async () => {
    const { store } = subject;
    const answered = await admit(store, { id: "m1" });
    await move(store, answered, submit(answered), proven());
    await admit(store, { id: "m2" });
    await write("r1", "lane", "m1");
    await write("r2", "lane", "m2");
    expect(await store.failedWithReply()).toEqual([]);
  });
}

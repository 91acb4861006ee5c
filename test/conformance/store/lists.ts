/** Lists that people look at: page by page, newest first, by lane, status and words. */

import { describe, expect, it } from "vitest";
import { personAddress } from "../../../src/core/message/address.ts";
import { admit, failedForGood, move, submit, toPerson } from "../../support/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

export function lists(subject: Subject): void {
  const said = async (filter: { lane?: string; query?: string }) => {
    const { items } = await subject.store.messages({ limit: 50, ...filter });
    return items.map((message) => message.id);
  };
  const answer = async (id: string, text: string, laneId: string) => {
    const { message, payloadHash } = toPerson({ id, text, fromLane: laneId, laneId });
    await subject.store.admit({ message, payloadHash, delivery: null, choice: null });
  };

  describe("deliveries", () => {
    it("come page by page, each once", async () => {
      const ids = Array.from({ length: 7 }, (_, number) => `m${number}`);
      for (const id of ids) await admit(subject.store, { id });
      const seen: string[] = [];
      let cursor: string | undefined;
      do {
        const page = await subject.store.deliveries({ limit: 3, cursor });
        seen.push(...page.items.map((record) => record.messageId));
        cursor = page.next ?? undefined;
      } while (cursor !== undefined);
      expect(seen).toEqual(ids.toReversed());
    });

    it("are found by lane, message and status, and by all of them together", async () => {
      const { store } = subject;
      const one = await admit(store, { id: "m1" });
      await move(store, one, submit(one), failedForGood());
      await admit(store, { id: "m1", recipient: { kind: "lane", lane: "other" } });
      await admit(store, { id: "m2" });
      const found = async (filter: Omit<Parameters<typeof store.deliveries>[0], "limit">) =>
        (await store.deliveries({ limit: 10, ...filter })).items.map(
          (record) => `${record.laneId} ${record.messageId}`,
        );
      expect(await found({ messageId: "m1" })).toEqual(["other m1", "lane m1"]);
      expect(await found({ statuses: ["failed_terminal"] })).toEqual(["lane m1"]);
      expect(await found({ statuses: ["failed_terminal", "pending"], laneId: "lane" })).toEqual(["lane m2", "lane m1"]);
      expect(await found({ messageId: "m1", laneId: "other", statuses: ["pending"] })).toEqual(["other m1"]);
      expect(await found({ statuses: ["responded"] })).toEqual([]);
    });

    it("are counted by status, and those that wait by lane", async () => {
      const { store } = subject;
      const one = await admit(store, { id: "m1" });
      await move(store, one, submit(one), failedForGood());
      await admit(store, { id: "m2" });
      await admit(store, { id: "m3" });
      expect(await store.counts()).toMatchObject({ pending: 2, failed_terminal: 1, responded: 0 });
      expect([await store.waiting("lane"), await store.waiting("other")]).toEqual([2, 0]);
    });
  });

  describe("messages", () => {
    it("of a lane are what was said to it and what came back, newest first", async () => {
      await admit(subject.store, { id: "m1", text: "Is it green?" });
      await admit(subject.store, { id: "x1", recipient: { kind: "lane", lane: "other" } });
      await answer("a1", "It is.", "lane");
      expect(await said({ lane: "lane" })).toEqual(["a1", "m1"]);
      expect(await said({})).toEqual(["a1", "x1", "m1"]);
    });

    it("are found by the words that were said, whatever their case and accents, the last one being unfinished", async () => {
      await admit(subject.store, { id: "m1", text: "Please deploy the café server." });
      await admit(subject.store, { id: "m2", text: "Deploying is done.", summary: "server is up" });
      await answer("a1", "I will not deploy.", "other");
      expect(await said({ query: "deploy" })).toEqual(["a1", "m2", "m1"]);
      expect(await said({ query: "deploy", lane: "lane" })).toEqual(["m2", "m1"]);
      expect(await said({ query: "CAFE serv" })).toEqual(["m1"]);
      expect(await said({ query: "server up" })).toEqual(["m2"]);
      expect(await said({ query: "depl the" })).toEqual([]);
    });

    it.each(['"', "NEAR(", "a AND", "text:", "*", "", "-", "'; DROP TABLE message; --", "\u0000"])(
      "a search for %j is a search like any other",
      async (query) => {
        await admit(subject.store, { id: "m1", text: "hello" });
        expect(await said({ query })).toEqual([]);
      },
    );

    it("come page by page, found ones too", async () => {
      for (const id of ["m1", "m2", "m3"]) await admit(subject.store, { id, text: "green" });
      const first = await subject.store.messages({ limit: 2, query: "green" });
      const second = await subject.store.messages({ limit: 2, query: "green", cursor: first.next ?? "" });
      expect([first, second].map((page) => page.items.map((one) => one.id))).toEqual([["m3", "m2"], ["m1"]]);
      expect(second.next).toBeNull();
    });

    it("that were written back about a message come oldest first", async () => {
      const { store } = subject;
      for (const id of ["a1", "a2"]) {
        const { message, payloadHash } = toPerson({ id, relayOfMessageId: "m1", laneId: "lane" });
        await store.admit({ message, payloadHash, delivery: null, choice: null });
      }
      expect((await store.writtenBack("m1", "lane", personAddress("user"))).map((mail) => mail.id)).toEqual([
        "a1",
        "a2",
      ]);
      expect(await store.writtenBack("m1", "other", personAddress("user"))).toEqual([]);
    });
  });

  it("a store that can be written takes probes, and nobody who follows it sees them", async () => {
    const { store } = subject;
    const before = store.logEnd();
    for (const at of [1, 2]) await expect(store.probe(at)).resolves.toBeUndefined();
    expect(store.logEnd()).toBe(before);
    expect(await store.check()).toEqual([]);
  });
}

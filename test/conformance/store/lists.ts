/** Lists for people: paged, newest first, by lane, status and words. */

import { describe, expect, it } from "vitest";
import { personAddress } from "../../../src/core/message/message.ts";
import { admit, failedForGood, move, submit, toPerson } from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

export function lists(subject: Subject): void {
  const said = async (filter: { lane?: string; messageId?: string; query?: string }) => {
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

    it("are found for a page of messages, in any state, newest first", async () => {
      const { store } = subject;
      const failed = await admit(store, { id: "m1" });
      await move(store, failed, submit(failed), failedForGood());
      const sent = await admit(store, { id: "m2" });
      await move(store, sent, submit(sent));
      await admit(store, { id: "m1", recipient: { kind: "lane", lane: "other" } });
      await answer("m3", "Done.", "lane");
      const page = await store.messages({ limit: 10 });
      const found = await store.deliveriesOf(page.items);
      expect(found.map(({ laneId, messageId, status }) => `${laneId} ${messageId} ${status}`)).toEqual([
        "other m1 pending",
        "lane m2 submitting",
        "lane m1 failed_terminal",
      ]);
      expect(await store.deliveriesOf(page.items.slice(-1))).toEqual([await store.delivery(failed.id)]);
      expect(await store.deliveriesOf([])).toEqual([]);
    });

    it("are found by words in their message id, lane, status and reason, and by the start of their id", async () => {
      const { store } = subject;
      const failed = await admit(store, { id: "Build-17" });
      await move(store, failed, submit(failed), failedForGood());
      await admit(store, { id: "Build-18", recipient: { kind: "lane", lane: "other" } });
      const sent = await admit(store, { id: "docs-1" });
      await move(store, sent, submit(sent), {
        ...{ type: "acceptance_unknown", at: 5, reason: "connection lost", reconcileAt: 9 },
      });
      const found = async (query: string, more: Omit<Parameters<typeof store.deliveries>[0], "limit"> = {}) =>
        (await store.deliveries({ limit: 10, query, ...more })).items.map(({ messageId }) => messageId);
      expect(await found("build")).toEqual(["Build-18", "Build-17"]);
      expect(await found("OTHER build-18")).toEqual(["Build-18"]);
      expect(await found("failed no_answer")).toEqual(["Build-17"]);
      expect(await found("lost")).toEqual(["docs-1"]);
      expect(await found(sent.id.slice(0, 12))).toEqual(["docs-1"]);
      expect(await found(sent.id.slice(1, 12))).toEqual([]);
      expect(await found("build", { laneId: "lane" })).toEqual(["Build-17"]);
      expect(await found("build", { statuses: ["pending"] })).toEqual(["Build-18"]);
      expect(await found("100%_'\"")).toEqual([]);
    });

    it("are found page by page, even behind active ones that do not match", async () => {
      const { store } = subject;
      for (const id of ["a1", "a2", "a3"]) await admit(store, { id });
      const moving = await admit(store, { id: "b1", recipient: { kind: "lane", lane: "other" } });
      await move(store, moving, submit(moving));
      const first = await store.deliveries({ limit: 2, query: "a" });
      expect(first.items.map(({ messageId }) => messageId)).toEqual(["a3", "a2"]);
      const second = await store.deliveries({ limit: 2, query: "a", cursor: first.next ?? undefined });
      expect([second.items.map(({ messageId }) => messageId), second.next]).toEqual([["a1"], null]);
    });

    it("are counted by status, and waiting ones by lane", async () => {
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
    it("of a lane are those to it and its answers, newest first", async () => {
      await admit(subject.store, { id: "m1", text: "Is it green?" });
      await admit(subject.store, { id: "x1", recipient: { kind: "lane", lane: "other" } });
      await answer("a1", "It is.", "lane");
      expect(await said({ lane: "lane" })).toEqual(["a1", "m1"]);
      expect(await said({})).toEqual(["a1", "x1", "m1"]);
    });

    it("are found by their words, whatever their case and accents, with the last word as a prefix", async () => {
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
      "a search for %j is an ordinary search",
      async (query) => {
        await admit(subject.store, { id: "m1", text: "hello" });
        expect(await said({ query })).toEqual([]);
      },
    );

    it("are found by their id, which several recipients may have", async () => {
      const { store } = subject;
      await admit(store, { id: "m1", text: "green" });
      await admit(store, { id: "m2", text: "green" });
      await admit(store, { id: "m1", text: "red", recipient: { kind: "lane", lane: "other" } });
      const found = await store.messages({ limit: 10, messageId: "m1" });
      expect(found.items.map(({ text }) => text)).toEqual(["red", "green"]);
      expect(found.next).toBeNull();
      expect(await said({ messageId: "m1", lane: "other" })).toEqual(["m1"]);
      expect(await said({ messageId: "m2", lane: "other" })).toEqual([]);
      expect(await said({ messageId: "m1", query: "green" })).toEqual(["m1"]);
      expect(await said({ messageId: "m3" })).toEqual([]);
      const first = await store.messages({ limit: 1, messageId: "m1" });
      const second = await store.messages({ limit: 1, messageId: "m1", cursor: first.next ?? "" });
      expect(second.items.map(({ text }) => text)).toEqual(["green"]);
    });

    it("come page by page, including search results", async () => {
      for (const id of ["m1", "m2", "m3"]) await admit(subject.store, { id, text: "green" });
      const first = await subject.store.messages({ limit: 2, query: "green" });
      const second = await subject.store.messages({ limit: 2, query: "green", cursor: first.next ?? "" });
      expect([first, second].map((page) => page.items.map((one) => one.id))).toEqual([["m3", "m2"], ["m1"]]);
      expect(second.next).toBeNull();
    });

    it("that reply to a message come oldest first", async () => {
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

  it("a writable store accepts probes, and its log does not show them", async () => {
    const { store } = subject;
    const before = store.logEnd();
    for (const at of [1, 2]) await expect(store.probe(at)).resolves.toBeUndefined();
    expect(store.logEnd()).toBe(before);
    expect(await store.check()).toEqual([]);
  });
}

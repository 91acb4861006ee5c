/** Teams with their members and lanes, mailboxes, mail that begins deliveries, and held pairs. */
import { describe, expect, it } from "vitest";
import type { DeliveryChange } from "../../../src/core/delivery/delivery-event.ts";
import { defaultPolicy } from "../../../src/core/delivery/policy.ts";
import { newDelivery } from "../../../src/core/delivery/record.ts";
import type { Lane } from "../../../src/core/lane/lane.ts";
import type { LogItem } from "../../../src/core/log/log-item.ts";
import { changesIn } from "../../../src/core/log/log-item.ts";
import type { Message } from "../../../src/core/message/message.ts";
import { laneAddress, payloadHash, personAddress } from "../../../src/core/message/message.ts";
import { pairOf } from "../../../src/core/team/exchange.ts";
import type { NewMember } from "../../../src/core/team/team.ts";
import { admit, move, proven, submit, toPerson } from "../../support/core/deliveries.ts";
import { aMessage } from "../../support/core/records.ts";
import { aLane } from "../../support/daemon/waybill.ts";
import type { Subject } from "../store-conformance.ts";
import { words } from "./log.ts";

const core = { name: "core", displayName: null, createdAt: 1 };
const member = (name: string, lane: string | null, more: Partial<NewMember> = {}): NewMember => ({
  ...{ team: "core", name, kind: lane === null ? "native" : "lane", lane },
  ...{ displayName: null, role: null, color: null, createdAt: 2, ...more },
});
const nate = { kind: "member" as const, team: "crew", member: "nate" };
const refused = (code: string) => expect.objectContaining({ code });

export function teams(subject: Subject): void {
  const names = async () => (await subject.store.team("core"))?.members.map(({ name }) => name);

  it("a member takes and releases its lane, members keep their order, and a team survives a restart", async () => {
    const { store } = subject;
    await store.putTeam(core);
    await store.putMember(member("tom", "lane"));
    await store.putMember(member("nate", null));
    await store.putMember(member("tom", "other", { role: "lead" }));
    expect(await store.lane("lane")).toMatchObject({ team: null, member: null });
    expect(await store.lane("other")).toMatchObject({ team: "core", member: "tom" });
    await subject.reopen();
    expect(await names()).toEqual(["tom", "nate"]);
    await subject.store.removeMember("core", "tom");
    expect(await subject.store.lane("other")).toMatchObject({ team: null, member: null });
    expect(await subject.store.removeTeam("core")).toBe(true);
    expect(await subject.store.removeTeam("core")).toBe(false);
  });

  it("refuses invalid changes, and changes nothing", async () => {
    const { store } = subject;
    await store.putTeam(core);
    await store.putMember(member("tom", "lane"));
    await expect(store.putMember(member("anna", "lane"))).rejects.toEqual(refused("lane_taken"));
    await expect(store.putMember(member("anna", "nowhere"))).rejects.toEqual(refused("lane_unknown"));
    await expect(store.putMember(member("anna", null, { team: "cor" }))).rejects.toEqual(refused("team_unknown"));
    await expect(store.removeMember("core", "anna")).rejects.toEqual(refused("member_unknown"));
    await expect(store.setTeamState("cor", "paused")).rejects.toEqual(refused("team_unknown"));
    expect(await names()).toEqual(["tom"]);
  });

  it("a lane is held by its team's state and its member's shutdown, until it leaves the team", async () => {
    const { store } = subject;
    const hold = async () => (await store.lane("lane"))?.teamHold;
    await store.putTeam(core);
    await store.putMember(member("tom", "lane"));
    const record = await admit(store, { id: "m1" });
    await store.setTeamState("core", "paused");
    expect(await hold()).toBe("team_paused");
    expect(await store.apply(record.id, [submit(record)])).toMatchObject({ outcome: "refused", reason: "lane_paused" });
    await store.setTeamState("core", "active");
    expect(await hold()).toBeNull();
    await store.terminateMember("core", "tom", 5);
    expect(await hold()).toBe("member_terminated");
    await store.terminateMember("core", "tom", null);
    await store.setTeamState("core", "stopped");
    expect((await store.lanes()).map(({ id, teamHold }) => [id, teamHold])).toContainEqual(["lane", "team_stopped"]);
    await store.removeMember("core", "tom");
    expect(await hold()).toBeNull();
  });

  it("a removed lane belongs to no member", async () => {
    const { store } = subject;
    await store.putLane(aLane({ id: "third", team: "Core", member: "Tom" }));
    expect(await names()).toEqual(["tom"]);
    await store.removeLane("third", 9);
    expect(await names()).toEqual([]);
    await store.putLane(aLane({ id: "third" }));
    expect(await store.lane("third")).toMatchObject({ team: null, member: null });
  });

  it("mail to a lane begins one delivery, together with its events", async () => {
    const { store } = subject;
    const record = await admit(store, { id: "m1" });
    await move(store, record, submit(record));
    const back = aMessage({ id: "answer", recipient: laneAddress("other"), relayOfMessageId: "m1", laneId: "other" });
    const hash = payloadHash(back);
    const delivery = newDelivery(back, hash, (await store.lane("other")) as Lane, defaultPolicy, 5);
    const mail = [{ message: back, payloadHash: hash, delivery }];
    const changes: DeliveryChange[] = [];
    store.onLog((items) => changes.push(...changesIn(items)));
    expect(await store.apply(record.id, [proven()], mail)).toMatchObject({ outcome: "applied" });
    const begun = { record: { id: delivery.id }, events: [{ type: "admitted" }], admitted: { id: "answer" } };
    expect(changes).toMatchObject([begun, { record: { id: record.id } }]);
    expect(await store.head("other")).toMatchObject({ id: delivery.id, status: "pending" });
    expect(await store.repliesIn(laneAddress("other"), "m1")).toMatchObject([{ id: "answer" }]);
    await store.apply(record.id, [{ type: "turn_ended", at: 9 }], mail);
    expect(changes.filter((change) => change.record.id === delivery.id)).toHaveLength(1);
    await subject.reopen();
    expect(await subject.store.head("other")).toMatchObject({ id: delivery.id });
  });

  describe("a reader's mailbox", () => {
    it("is paged, has read marks, and is separate from others", async () => {
      const { store } = subject;
      for (const id of ["a", "b", "c"]) {
        const { message, payloadHash: hash } = toPerson({ id });
        await store.admit({ message, payloadHash: hash, delivery: null, choice: null });
      }
      const user = personAddress("User");
      const first = await store.inbox(user, { limit: 2 });
      const second = await store.inbox(user, { limit: 2, cursor: first.next ?? undefined });
      expect([first, second].map(({ items }) => items.map(({ id }) => id))).toEqual([["c", "b"], ["a"]]);
      expect(await store.markRead(user, ["b", "b", "unknown"], 7)).toBe(1);
      expect((await store.inbox(user, { limit: 9, unreadOnly: true })).items.map(({ id }) => id)).toEqual(["c", "a"]);
      expect(await store.unreadByPerson()).toEqual({ user: 2 });
      expect(await store.markRead(personAddress("anna"), "all", 8)).toBe(0);
      expect(await store.markRead(user, "all", 8)).toBe(2);
      expect((await store.message(user, "b"))?.readAt).toBe(7);
    });
  });

  describe("unread messages of a reader", () => {
    const write = async (id: string, laneId: string | null, name = "user", fields: Partial<Message> = {}) => {
      const { message, payloadHash: hash } = toPerson({ id, laneId }, name);
      await subject.store.admit({
        message: { ...message, ...fields },
        payloadHash: hash,
        delivery: null,
        choice: null,
      });
    };

    it("are counted by the lane of their conversation, or else by the member that wrote them", async () => {
      const { store } = subject;
      await write("a", "lane");
      await write("b", "lane");
      await write("c", "other");
      await write("d", null);
      await write("e", "lane", "anna");
      await write("f", null, "user", { fromMember: nate });
      await write("g", null, "user", { claimedMember: nate });
      await write("h", "lane", "anna", { claimedMember: nate });
      const counts = async (name: string) => {
        const all = await store.unreadByConversation(personAddress(name));
        return Object.fromEntries(all.map(({ laneId, member, count }) => [laneId ?? member, count]));
      };
      expect(await counts("User")).toEqual({ lane: 2, other: 1, "crew/nate": 2, null: 1 });
      await store.markRead(personAddress("user"), ["a", "c"], 7);
      expect(await counts("user")).toEqual({ lane: 1, "crew/nate": 2, null: 1 });
      expect([await counts("anna"), await counts("nobody")]).toEqual([{ lane: 2 }, {}]);
    });

    it("are listed for a member with all others to and from it, newest first", async () => {
      const { store } = subject;
      const ids = ["a", "b", "c", "d", "e"];
      for (const [index, id] of ids.entries()) {
        const side = [{ fromMember: nate }, { recipient: nate }, { claimedMember: nate }][index % 3];
        await write(id, null, "user", { text: "It is green.", ...side });
      }
      await write("of another", null, "user", { fromMember: { ...nate, member: "nora" } });
      await write("of nobody", null);
      const first = await store.messages({ member: nate, limit: 3 });
      const second = await store.messages({ member: nate, limit: 3, cursor: first.next ?? undefined });
      expect([first, second].map(({ items }) => items.map(({ id }) => id))).toEqual([
        ["e", "d", "c"],
        ["b", "a"],
      ]);
      expect((await store.messages({ member: nate, query: "green", limit: 9 })).items).toHaveLength(5);
    });

    it("that are marked as read are published once, and not stored", async () => {
      const { store } = subject;
      await write("a", "lane");
      const told: LogItem[] = [];
      store.onLog((items) => told.push(...items));
      expect(await store.markRead(personAddress("user"), ["unknown"], 7)).toBe(0);
      expect(await store.markRead(personAddress("user"), "all", 8)).toBe(1);
      expect(told.map(words)).toEqual(["read user"]);
      expect((await store.readLog({ types: ["read"], limit: 10 })).items).toEqual([]);
    });
  });

  it("a pair is held until nothing between them is held; its lanes continue", async () => {
    const { store } = subject;
    const limits = { maxExchanges: 1, exchangeWindowMs: 1000 };
    const write = async (id: string, from: string, to: string) => {
      const message = aMessage({
        id,
        recipient: laneAddress(to),
        laneId: to,
        fromLane: from,
        replyTo: laneAddress(from),
      });
      const hash = payloadHash(message);
      const delivery = newDelivery(message, hash, (await store.lane(to)) as Lane, defaultPolicy, message.createdAt);
      const exchange = { ...pairOf(from, to), limits };
      return store.admit({ message, payloadHash: hash, delivery, choice: null, exchange });
    };
    expect(await write("one", "lane", "other")).toMatchObject({ delivery: { heldReason: null } });
    const held = await write("two", "other", "lane");
    expect(held).toMatchObject({ delivery: { heldReason: "loop_guard" } });
    expect(await store.head("lane")).toBeNull();
    expect(await store.heldExchanges()).toMatchObject([{ one: "lane", other: "other", count: 2 }]);
    const pair = pairOf("other", "lane");
    const [record] = await store.endExchange(pair);
    expect(record?.messageId).toBe("two");
    expect(await store.heldExchanges()).toHaveLength(1);
    await store.apply(record?.id ?? "", [{ type: "released", at: 9, by: "user" }]);
    expect(await store.endExchange(pair)).toEqual([]);
    expect(await store.heldExchanges()).toEqual([]);
    expect(await store.head("lane")).toMatchObject({ messageId: "two" });
  });
}

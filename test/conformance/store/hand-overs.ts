/** Teams with inbox files: a hand-over is created with its message, and its states survive a restart. */
import { expect, it } from "vitest";
import type { Address, Message } from "../../../src/core/message/message.ts";
import { payloadHash, personAddress } from "../../../src/core/message/message.ts";
import { aMessage } from "../../support/core/records.ts";
import type { Subject } from "../store-conformance.ts";
import { words } from "./log.ts";

const nate: Address = { kind: "member", team: "core", member: "nate" };

export function handOvers(subject: Subject): void {
  const team = (directory: string | null | undefined, name = "core") =>
    subject.store.putTeam({ name, displayName: null, createdAt: 1, ...(directory === undefined ? {} : { directory }) });
  const member = (name: string, lane: string | null) =>
    subject.store.putMember({
      ...{ team: "core", name, kind: lane === null ? "native" : "lane", lane },
      ...{ displayName: null, role: null, color: null, createdAt: 2 },
    });
  const send = (message: Partial<Message>) => {
    const whole = aMessage({ laneId: null, ...message });
    return subject.store.admit({ message: whole, payloadHash: payloadHash(whole), delivery: null, choice: null });
  };
  const open = async () =>
    (await subject.store.openHandOvers("core")).map(({ handOver, message }) => [
      message.id,
      handOver.inbox,
      handOver.state,
    ]);

  it("a message to a native member waits for its inbox file as soon as it is stored", async () => {
    await team("/teams/core");
    await member("nate", null);
    await send({ id: "m1", recipient: nate });
    await subject.reopen();
    await send({ id: "m2", recipient: nate });
    expect(await open()).toEqual([
      ["m1", "nate", "waiting"],
      ["m2", "nate", "waiting"],
    ]);
    expect(await subject.store.handOver(nate, "m1")).toMatchObject({ writes: 0, behind: null, reason: null });
  });

  it("messages from a member that Waybill runs to the owner are copied; others are not", async () => {
    await team("/teams/core");
    await member("tom", "lane");
    const toUser = { recipient: personAddress("user"), laneId: "lane" };
    await send({ id: "answer", ...toUser, from: "tom" });
    await send({ id: "failure", ...toUser, from: "waybill" });
    await send({ id: "elsewhere", ...toUser, from: "other", laneId: "other" });
    await send({ id: "to-anna", ...toUser, recipient: personAddress("anna"), from: "tom" });
    expect(await open()).toEqual([["answer", "user", "waiting"]]);
  });

  it("a team without files has nothing to write; when it gets files, its unread messages are written", async () => {
    await team(undefined);
    await member("nate", null);
    await send({ id: "early", recipient: nate });
    await send({ id: "read", recipient: nate });
    await subject.store.markRead(nate, ["read"], 5);
    expect(await open()).toEqual([]);
    await team("/teams/core");
    expect(await open()).toEqual([["early", "nate", "waiting"]]);
    // Setting the same directory again changes nothing.
    await team("/teams/core");
    await team(undefined);
    expect(await open()).toEqual([["early", "nate", "waiting"]]);
    await team(null);
    expect(await open()).toEqual([]);
  });

  it("a hand-over's states are stored and logged, and it is closed at the end", async () => {
    await team("/teams/core");
    await member("nate", null);
    await send({ id: "m1", recipient: nate });
    const { store } = subject;
    const end = store.logEnd();
    await store.changeHandOver(nate, "m1", { state: "waiting", reason: "locked" }, 10);
    await store.changeHandOver(nate, "m1", { state: "handed_over", reason: null, behind: "r0", writes: 1 }, 20);
    await store.changeHandOver(nate, "m1", { state: "handed_over", reason: null, writes: 2 }, 25, true);
    expect(await open()).toEqual([["m1", "nate", "handed_over"]]);
    await store.changeHandOver(nate, "m1", { state: "taken", reason: "removed" }, 30);
    expect(await open()).toEqual([]);
    expect(await store.changeHandOver(nate, "unknown", { state: "taken", reason: null }, 30)).toBeNull();
    await subject.reopen();
    expect(await subject.store.handOver(nate, "m1")).toEqual({
      ...{ messageId: "m1", team: "core", inbox: "nate", state: "taken", reason: "removed", behind: "r0" },
      ...{ writes: 2, changedAt: 30 },
    });
    const { items } = await subject.store.readLog({ after: end, types: ["inbox"], limit: 10 });
    expect(items.map(words)).toEqual([
      "inbox core/nate hand_over m1 waiting",
      "inbox core/nate hand_over m1 handed_over",
      "inbox core/nate restored m1 handed_over",
      "inbox core/nate hand_over m1 taken",
    ]);
  });

  it("a directory belongs to one team", async () => {
    await team("/teams/core");
    await expect(team("/teams/core", "other")).rejects.toMatchObject({ code: "directory_taken" });
    expect(await subject.store.team("other")).toBeNull();
    expect(await subject.store.removeTeam("core")).toBe(true);
    expect(await team("/teams/core", "other")).toMatchObject({ directory: "/teams/core" });
  });

  it("a message that could not be made durable has no hand-over", async () => {
    await team("/teams/core");
    await member("nate", null);
    subject.failNextCommit();
    await expect(send({ id: "m1", recipient: nate })).rejects.toThrow();
    expect(await open()).toEqual([]);
  });
}

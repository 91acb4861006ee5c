/** One order of everything that happened, that can be followed from any point of it. */
import { expect, it } from "vitest";
import type { Alert } from "../../../src/core/delivery/alert.ts";
import type { FeedItem } from "../../../src/core/log/feed-item.ts";
import { admit, failedForGood, move, start, submit, toPerson } from "../../support/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

const anAlert: Alert = {
  id: "ask:a1",
  kind: "ask",
  laneId: "lane",
  deliveryId: null,
  messageId: null,
  askId: "a1",
  person: "user",
  reason: "permission_pending",
  since: start,
  raisedAt: start + 1000,
};

function words(item: FeedItem): string {
  switch (item.type) {
    case "message":
      return `message ${item.message.id}`;
    case "delivery":
      return `delivery ${item.event.type} ${item.record.messageId}`;
    case "alert":
      return `alert ${item.alert.id}`;
    case "lane":
      return `lane ${item.laneId} ${item.lane ? (item.lane.pausedReason ?? "runs") : "removed"}`;
    default:
      return item.type;
  }
}

export function feed(subject: Subject): void {
  const since = async (cursor: string, limit = 100, lane?: string) => {
    const page = await subject.store.feed(cursor, limit, lane);
    return { said: page.items.map(words), ...page };
  };

  it("tells messages, deliveries, lanes and alerts in the order in which they became durable", async () => {
    const { store } = subject;
    const before = await store.feedEnd();
    const record = await admit(store, { id: "m1" });
    await move(store, record, submit(record));
    await store.pauseLane("lane", "lunch");
    await store.raise(anAlert);
    const { message, payloadHash } = toPerson({ id: "r1", fromLane: "lane", laneId: "lane" });
    await store.admit({ message, payloadHash, delivery: null, choice: null });
    expect((await since(before)).said).toEqual([
      "message m1",
      "delivery admitted m1",
      "delivery submit m1",
      "lane lane lunch",
      "alert ask:a1",
      "message r1",
    ]);
  });

  it("tells that the settings of a lane have changed, and not that they were written again", async () => {
    const { store } = subject;
    const lane = await store.lane("lane");
    if (!lane) throw new Error("no lane");
    const before = await store.feedEnd();
    await store.putLane(lane);
    expect((await since(before)).said).toEqual([]);
    await store.putLane({ ...lane, model: "another" });
    expect((await since(before)).said).toEqual(["lane lane runs"]);
  });

  it("goes on after any cursor, also after a restart, without a gap or a repetition", async () => {
    const before = await subject.store.feedEnd();
    for (const id of ["m1", "m2", "m3"]) await admit(subject.store, { id });
    const seen: string[] = [];
    for (let cursor = before; ; ) {
      const page = await since(cursor, 2);
      if (page.cursor === cursor) break;
      seen.push(...page.said);
      cursor = page.cursor;
      await subject.reopen();
    }
    expect(seen).toEqual(["m1", "m2", "m3"].flatMap((id) => [`message ${id}`, `delivery admitted ${id}`]));
  });

  it("shows one lane only, and moves on past what belongs to others", async () => {
    const before = await subject.store.feedEnd();
    await admit(subject.store, { id: "m1", recipient: { kind: "lane", lane: "other" } });
    await admit(subject.store, { id: "m2" });
    await admit(subject.store, { id: "m3", recipient: { kind: "lane", lane: "other" } });
    const page = await since(before, 100, "lane");
    expect(page.said).toEqual(["message m2", "delivery admitted m2"]);
    expect((await since(page.cursor, 100, "lane")).said).toEqual([]);
    expect(page.cursor).toBe(await subject.store.feedEnd());
  });

  it("says so when what came after a cursor is not kept any more", async () => {
    const before = await subject.store.feedEnd();
    await admit(subject.store, { id: "m1" });
    await subject.store.prune({ responded: 0, failed: 0, feed: Number.MAX_SAFE_INTEGER, events: 0 });
    const after = await subject.store.feedEnd();
    expect((await since(after)).said).toEqual([]);
    await admit(subject.store, { id: "m2" });
    expect((await since(after)).said).toEqual(["message m2", "delivery admitted m2"]);
    expect((await since(before)).said).toEqual(["reset", "message m2", "delivery admitted m2"]);
  });

  it("loses only its beginning, also when the clock was set back in between", async () => {
    const before = await subject.store.feedEnd();
    const admitAt = (id: string, ms: number) => admit(subject.store, { id, createdAt: start + ms });
    for (const [id, ms] of [
      ["m1", 0],
      ["m2", 5000],
      ["m3", 1000],
    ] as const)
      await admitAt(id, ms);
    await subject.store.prune({ responded: 0, failed: 0, feed: start + 2000, events: 0 });
    const left = await since(before);
    expect(left.said).toEqual(["reset", "message m2", "delivery admitted m2", "message m3", "delivery admitted m3"]);
  });

  it("says so when a cursor lies ahead of everything, as after a restore", async () => {
    const { store } = subject;
    const ahead = Buffer.from("v1.99999").toString("base64url");
    const page = await since(ahead);
    expect(page.said[0]).toBe("reset");
    expect(page.cursor).toBe(await store.feedEnd());
  });

  it("a cursor that nobody handed out is refused", async () => {
    await expect(subject.store.feed("nonsense", 10)).rejects.toMatchObject({ code: "cursor_invalid" });
  });

  it("tells listeners once something is durable, until they go", async () => {
    let times = 0;
    const stop = subject.store.onFeed(() => times++);
    await admit(subject.store, { id: "m1" });
    expect(times).toBe(1);
    stop();
    await admit(subject.store, { id: "m2" });
    expect(times).toBe(1);
  });

  it("raises an alert once", async () => {
    expect(await subject.store.raise(anAlert)).toBe(true);
    await subject.reopen();
    expect(await subject.store.raise({ ...anAlert, raisedAt: start + 9000 })).toBe(false);
  });

  it("finds the failures that nobody was told of", async () => {
    const { store } = subject;
    const failed = async (id: string) => {
      const record = await admit(store, { id });
      return (await move(store, record, submit(record), failedForGood())).record;
    };
    const [one, other] = [await failed("m1"), await failed("m2")];
    await store.raise({ ...anAlert, id: `failure:${one.id}:${one.failedAt}`, kind: "failure" });
    expect(await store.failedWithoutAlert()).toEqual([other]);
  });
}

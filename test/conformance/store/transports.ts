/** Updates are taken once, outbox rows keep their order, and related writes are one transaction. */
import { expect, it } from "vitest";
import type { OutboxChange, OutboxRow, TransportWrites } from "../../../src/store/port.ts";
import { start } from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

const aRow = (key: string, channel = "chat") => ({ key, channel, body: { says: key } });
const keysOf = (rows: readonly OutboxRow[]) => rows.map(({ key }) => key).sort();

export function transports(subject: Subject): void {
  const write = (writes: TransportWrites, at = start) => subject.store.writeTransport("one", writes, at);
  const unhandled = async () => (await subject.store.unhandledUpdates("one")).map(({ id }) => id);
  const head = (channel = "chat") => subject.store.outboxHead("one", channel);
  const change = async (key: string, changes: Partial<OutboxChange>, at = start) => {
    const row = await subject.store.outboxRow("one", key);
    if (!row) throw new Error(`there is no row ${key}`);
    const { state, refs, attempts, nextTryAt, reason } = row;
    await subject.store.changeOutboxRow(row.seq, { state, refs, attempts, nextTryAt, reason, ...changes }, at);
  };
  const prune = (before: number) =>
    subject.store.prune({ responded: before, failed: before, log: before, events: before, stats: 0 });

  it("returns which updates are new, whatever the order of their ids", async () => {
    expect(await write({ updates: [{ id: "7", body: 7 }] })).toEqual(["7"]);
    const again = ["9", "7", "3", "9"].map((id) => ({ id, body: id }));
    expect(await write({ updates: again })).toEqual(["9", "3"]);
    expect(await unhandled()).toEqual(["7", "9", "3"]);
  });

  it("keeps an update unchanged across a restart", async () => {
    const body = { text: "ünï 🎉 \u0000", list: [1, null, { deep: true }] };
    await write({ updates: [{ id: "1", body }] }, start + 5);
    await subject.reopen();
    expect(await subject.store.unhandledUpdates("one")).toEqual([{ id: "1", body, receivedAt: start + 5 }]);
  });

  it("recognizes a handled update, and does not take it again", async () => {
    await write({ updates: [{ id: "1", body: "first" }] });
    await write({ handled: ["1"] });
    await subject.reopen();
    expect(await unhandled()).toEqual([]);
    expect(await write({ updates: [{ id: "1", body: "again" }] })).toEqual([]);
    expect(await unhandled()).toEqual([]);
  });

  it("writes one outbox row for each key", async () => {
    await write({ outbox: [aRow("a")] }, start + 1);
    await write({ outbox: [{ ...aRow("a", "elsewhere"), body: "other" }, aRow("b")] }, start + 2);
    const waiting = { state: "waiting", refs: [], attempts: 0, nextTryAt: start + 1, reason: null };
    expect(await head()).toMatchObject({ ...aRow("a"), ...waiting, createdAt: start + 1 });
    expect(await head("elsewhere")).toBeNull();
  });

  it("returns the oldest waiting row of each channel", async () => {
    await write({ outbox: [aRow("a"), aRow("b"), aRow("c", "other")] });
    expect(keysOf(await subject.store.outboxHeads("one"))).toEqual(["a", "c"]);
    await change("a", { state: "sent", refs: [{ message: 1 }] });
    await change("c", { state: "failed", reason: "refused" });
    expect(keysOf(await subject.store.outboxHeads("one"))).toEqual(["b"]);
    expect((await head())?.key).toBe("b");
  });

  it("a row that waits for its next try keeps its place", async () => {
    await write({ outbox: [aRow("a"), aRow("b")] });
    await change("a", { attempts: 3, nextTryAt: start + 9000, reason: "busy", refs: [{ part: 1 }] });
    await subject.reopen();
    const kept = { key: "a", attempts: 3, nextTryAt: start + 9000, reason: "busy", refs: [{ part: 1 }] };
    expect(await head()).toMatchObject(kept);
  });

  it("finds a row by its key, even after it was sent", async () => {
    await write({ outbox: [aRow("a")] });
    await change("a", { state: "sent", refs: [{ message: 12 }] });
    expect(await subject.store.outboxRow("one", "a")).toMatchObject({ state: "sent", refs: [{ message: 12 }] });
    expect(await subject.store.outboxRow("one", "b")).toBeNull();
  });

  it("waiting rows of a renamed channel move to the new one, in order", async () => {
    await write({ outbox: [aRow("a"), aRow("b"), aRow("c", "new"), aRow("d")] });
    await change("a", { state: "sent" });
    await write({ moved: { from: "chat", to: "new" }, outbox: [aRow("e", "new")] });
    const order: string[] = [];
    for (let row = await head("new"); row; row = await head("new")) {
      order.push(row.key);
      await change(row.key, { state: "sent" });
    }
    expect(order).toEqual(["b", "c", "d", "e"]);
    expect(await head()).toBeNull();
    expect((await subject.store.outboxRow("one", "a"))?.channel).toBe("chat");
  });

  it("stores, changes and removes state", async () => {
    await write({
      state: [
        { key: "cursor", value: 7 },
        { key: "topic", value: { name: "x" } },
      ],
    });
    await write({
      state: [
        { key: "cursor", value: 8 },
        { key: "topic", value: null },
      ],
    });
    await subject.reopen();
    expect(await subject.store.transportState("one")).toEqual(new Map([["cursor", 8]]));
  });

  it("keeps transports apart", async () => {
    const writes = { updates: [{ id: "1", body: 1 }], outbox: [aRow("a")], state: [{ key: "k", value: 1 }] };
    await write(writes);
    expect(await subject.store.writeTransport("two", writes, start)).toEqual(["1"]);
    await subject.store.writeTransport("two", { handled: ["1"], state: [{ key: "k", value: null }] }, start);
    expect(await unhandled()).toEqual(["1"]);
    expect(await subject.store.transportState("one")).toEqual(new Map([["k", 1]]));
    expect((await subject.store.outboxRow("two", "a"))?.seq).not.toBe((await head())?.seq);
  });

  it("a write that cannot be made durable leaves nothing behind", async () => {
    await write({ updates: [{ id: "1", body: 1 }], outbox: [aRow("a")] });
    subject.failNextCommit();
    const writes = { updates: [{ id: "2", body: 2 }], handled: ["1"], outbox: [aRow("b", "other")] };
    const moved = { from: "chat", to: "new" };
    await expect(write({ ...writes, state: [{ key: "k", value: 1 }], moved })).rejects.toThrow();
    expect(await unhandled()).toEqual(["1"]);
    expect(keysOf(await subject.store.outboxHeads("one"))).toEqual(["a"]);
    expect((await head())?.key).toBe("a");
    expect(await subject.store.transportState("one")).toEqual(new Map());
  });

  it("a change that cannot be made durable leaves the row as it was", async () => {
    await write({ outbox: [aRow("a")] });
    subject.failNextCommit();
    await expect(change("a", { state: "sent" })).rejects.toThrow();
    expect((await head())?.key).toBe("a");
  });

  it("prunes finished entries, and never waiting ones", async () => {
    await write({
      updates: [
        { id: "old", body: 1 },
        { id: "open", body: 2 },
      ],
      outbox: [aRow("sent"), aRow("waits")],
    });
    await write({ handled: ["old"] });
    await change("sent", { state: "sent" }, start + 1);
    await prune(start);
    expect(await write({ updates: [{ id: "old", body: 1 }] })).toEqual([]);
    await prune(start + 2);
    expect(await unhandled()).toEqual(["open"]);
    expect((await head())?.key).toBe("waits");
    expect(await subject.store.outboxRow("one", "sent")).toBeNull();
    expect(await write({ updates: [{ id: "old", body: 1 }] })).toEqual(["old"]);
  });
}

/** Listeners of the log get durable items and unstored ones, in one order, and nothing else. */
import { expect, it } from "vitest";
import type { DeliveryChange } from "../../../src/core/delivery/delivery-event.ts";
import type { LogItem } from "../../../src/core/log/log-item.ts";
import { changesIn } from "../../../src/core/log/log-item.ts";
import { accepted, admit, move, submit } from "../../support/core/deliveries.ts";
import { aDelta, someEvents } from "../../support/core/events.ts";
import type { Subject } from "../store-conformance.ts";
import { anAlert } from "./alerts.ts";
import { admitted, words } from "./log.ts";

const keep = 100;

export function logListeners(subject: Subject): void {
  const since = async (after: string) => {
    const page = await subject.store.readLog({ after, limit: 1000 });
    return { said: page.items.map(words), ...page };
  };
  const append = (from: number, to: number) => subject.store.appendEvents(someEvents(from, to), keep);

  it("get everything in order once it is durable, until they unsubscribe", async () => {
    const { store } = subject;
    const before = store.logEnd();
    const told: LogItem[] = [];
    const stop = store.onLog((items) => told.push(...items));
    const record = await admit(store, { id: "m1" });
    await Promise.all([move(store, record, submit(record)), append(1, 2), store.raise(anAlert)]);
    stop();
    expect(told.at(-1)?.cursor).toBe(store.logEnd());
    const { items } = await since(before);
    expect(told.map(({ cursor, at, laneId }) => ({ cursor, at, laneId }))).toEqual(
      items.map(({ cursor, at, laneId }) => ({ cursor, at, laneId })),
    );
    expect(told.map(words)).toEqual(items.map(words));
    await admit(store, { id: "m2" });
    expect(told).toHaveLength(items.length);
  });

  it("get each change of a delivery once, with the record before it and the message that was admitted", async () => {
    const { store } = subject;
    const changes: DeliveryChange[] = [];
    store.onLog((items) => changes.push(...changesIn(items)));
    const record = await admit(store, { id: "m1" });
    const { record: sent } = await move(store, record, submit(record), accepted());
    expect(changes).toMatchObject([
      { record: { version: 1 }, events: [{ type: "admitted" }], admitted: { id: "m1", text: expect.any(String) } },
      { record: sent, before: record, events: [{ type: "submit" }, { type: "accepted" }] },
    ]);
    expect(changes.map((change) => "before" in change)).toEqual([false, true]);
    const stored = (await store.readLog({ limit: 100 })).items;
    expect(stored.filter(({ type }) => type === "delivery")).toHaveLength(3);
    expect(changesIn(stored)).toEqual([]);
  });

  it("all get an item before what one of them passes on because of it", async () => {
    const { store } = subject;
    const told: string[] = [];
    store.onLog((items) => {
      if (items.some(({ type }) => type === "event")) store.passAsk({ ask: "a1", open: true, laneId: "lane", at: 1 });
    });
    store.onLog((items) => told.push(...items.map(words)));
    await append(1, 1);
    expect(told).toEqual(["event lane-1", "ask a1 open"]);
  });

  it("get asks even if the writes around them fail, once something can be written", async () => {
    const { store } = subject;
    const told: string[] = [];
    store.onLog((items) => told.push(...items.map(words)));
    subject.failNextCommit();
    const failed = append(1, 1);
    store.passAsk({ ask: "a1", open: true, laneId: "lane", at: 1 });
    await expect(failed).rejects.toThrow();
    expect(told).toEqual([]);
    await append(1, 1);
    expect(told).toEqual(["ask a1 open", "event lane-1"]);
  });

  it("get only items that can be read by then, and that could not be read before", async () => {
    const { store } = subject;
    const ends: string[] = [];
    const read: Promise<string[]>[] = [];
    const before = store.logEnd();
    store.onLog(() => {
      ends.push(store.logEnd());
      read.push(since(before).then(({ said }) => said));
    });
    const asked = admit(store, { id: "m1" });
    expect([store.logEnd(), (await since(before)).said]).toEqual([before, []]);
    await asked;
    expect(ends).toEqual([store.logEnd()]);
    expect(await Promise.all(read)).toEqual([admitted("m1")]);
  });

  it("get asks after pending writes, without a cursor, and none is stored", async () => {
    const { store } = subject;
    const told: LogItem[] = [];
    store.onLog((items) => told.push(...items));
    const before = store.logEnd();
    store.passAsk({ ask: "a1", open: true, laneId: "lane", at: 1 });
    expect([told.map(words), store.logEnd()]).toEqual([["ask a1 open"], before]);
    const written = append(1, 1);
    store.passAsk({ ask: "a1", open: false, laneId: "lane", at: 2 });
    await written;
    expect(told.map(words)).toEqual(["ask a1 open", "event lane-1", "ask a1 over"]);
    expect((await since(before)).said).toEqual(["event lane-1"]);
  });

  it("get deltas in order, without a cursor, and none is stored", async () => {
    const { store } = subject;
    const told: LogItem[] = [];
    store.onLog((items) => told.push(...items));
    const before = store.logEnd();
    await store.appendEvents([aDelta(0, "a")], keep);
    expect([told.map(words), store.logEnd()]).toEqual([["delta a"], before]);
    await Promise.all([
      store.appendEvents([...someEvents(1, 1), aDelta(1, "b")], keep),
      store.pauseLane("lane", "lunch"),
      store.appendEvents([aDelta(1, "c"), aDelta(0, "d", "other")], keep),
    ]);
    const lines = ["delta a", "event lane-1", "delta b", "lane lane lunch", "delta c", "delta d"];
    expect(told.map(words)).toEqual(lines);
    expect(told.filter(({ cursor }) => cursor === null).map(words)).toEqual([
      "delta a",
      "delta b",
      "delta c",
      "delta d",
    ]);
    expect((await since(before)).said).toEqual(["event lane-1", "lane lane lunch"]);
    expect(await store.lastEventSeq("lane")).toBe(1);
  });

  it("get nothing from a failed write, not even its deltas", async () => {
    const { store } = subject;
    await append(1, 1);
    const before = store.logEnd();
    const told: LogItem[] = [];
    store.onLog((items) => told.push(...items));
    const gap = [aDelta(1, "a"), ...someEvents(4, 4)];
    await expect(store.appendEvents(gap, keep)).rejects.toMatchObject({ code: "events_out_of_order" });
    const outcomes = await Promise.allSettled([
      append(2, 2),
      store.appendEvents(gap, keep),
      store.pauseLane("nowhere", "x"),
      store.raise(anAlert),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "rejected", "fulfilled"]);
    expect(told.map(words)).toEqual(["event lane-2", "alert ask:a1"]);
    expect((await since(before)).said).toEqual(["event lane-2", "alert ask:a1"]);
  });

  it("that throw affect neither writers nor each other", async () => {
    const { store } = subject;
    const told: string[] = [];
    store.onLog(() => {
      throw new Error("not mine");
    });
    store.onLog((items) => told.push(...items.map(words)));
    await append(1, 1);
    await store.appendEvents([aDelta(1, "a")], keep);
    await admit(store, { id: "m1" });
    expect(told).toEqual(["event lane-1", "delta a", ...admitted("m1")]);
  });
}

/** Agent events in the log: numbered without gaps in each lane, with their exact text, bounded. */
import { expect, it } from "vitest";
import { universalEventTypes } from "../../../src/core/turn/universal-event.ts";
import { anEvent, logged, someEvents } from "../../support/core/events.ts";
import type { Subject } from "../store-conformance.ts";

const keep = 100;

export function events(subject: Subject): void {
  const append = (from: number, to: number, lane = "lane", most = keep) =>
    subject.store.appendEvents(someEvents(from, to, lane), most);
  const page = async (after?: string, { lane, limit = 1000 }: { lane?: string; limit?: number } = {}) => {
    const read = await subject.store.readLog({ after, lane, types: universalEventTypes, limit });
    const found = read.items.flatMap((item) => (item.type === "event" ? [item] : []));
    return { ...read, ids: found.map(({ event }) => event.id), events: found };
  };
  const ids = (from: number, to: number, lane = "lane") => someEvents(from, to, lane).map(({ event }) => event.id);

  it("returns appended events with their exact text, in one order over all lanes", async () => {
    const { store } = subject;
    const batch = [...someEvents(1, 2), ...someEvents(1, 1, "other"), ...someEvents(3, 3)];
    const cursors: (string | null)[] = [];
    store.onLog((items) => cursors.push(...items.map(({ cursor }) => cursor)));
    await store.appendEvents(batch, keep);
    await subject.reopen();
    const read = await page();
    expect(read.events).toEqual(
      batch.map(({ event, text }, index) => {
        return { type: "event", event, text, cursor: cursors[index], at: event.time, laneId: event.lane };
      }),
    );
    expect([read.reset, read.cursor]).toEqual([null, subject.store.logEnd()]);
  });

  it("takes a batch as a whole or not at all, and refuses a gap in a lane", async () => {
    const { store } = subject;
    await append(1, 2);
    const bad = [...someEvents(1, 1, "other"), ...someEvents(4, 4)];
    await expect(store.appendEvents(bad, keep)).rejects.toMatchObject({ code: "events_out_of_order" });
    await expect(append(2, 2)).rejects.toMatchObject({ code: "events_out_of_order" });
    expect((await page()).ids).toEqual(ids(1, 2));
    expect([await store.lastEventSeq("lane"), await store.lastEventSeq("other")]).toEqual([2, 0]);
  });

  it("keeps the newest events of a lane, and continues their numbers", async () => {
    await append(1, 3, "other");
    for (let seq = 1; seq <= 230; seq += 10) await append(seq, seq + 9);
    const { ids: left } = await page(undefined, { lane: "lane" });
    expect(left.length).toBeGreaterThanOrEqual(keep);
    expect(left.length).toBeLessThanOrEqual(keep + keep / 10);
    expect(left.at(-1)).toBe("lane-230");
    expect((await page(undefined, { lane: "other" })).ids).toEqual(ids(1, 3, "other"));
    expect(await subject.store.lastEventSeq("lane")).toBe(230);
    await subject.reopen();
    expect(await subject.store.lastEventSeq("lane")).toBe(230);
  });

  it("gives a reader who missed pruned events one reset, and then continues", async () => {
    await append(1, 2);
    const second = subject.store.logEnd();
    await append(1, 3, "other");
    for (let seq = 3; seq <= 202; seq += 50) await append(seq, seq + 49);
    const ofLane = await page(second, { lane: "lane" });
    expect([ofLane.reset?.type, ofLane.ids.at(-1)]).toEqual(["reset", "lane-202"]);
    const all = await page(second, { limit: 2 });
    expect([all.reset?.type, all.ids]).toEqual(["reset", ids(1, 2, "other")]);
    const further = await page(all.cursor, { limit: 2 });
    expect([further.reset, further.ids[0]]).toEqual([null, "other-3"]);
    expect((await page(all.reset?.cursor, { limit: 2 })).reset).toBeNull();
    expect((await page(second, { lane: "other" })).reset).toBeNull();
    expect((await page(undefined, { limit: 2 })).reset).toBeNull();
  });

  it("returns a lane's events newest first, before any number", async () => {
    await append(1, 5);
    await append(1, 1, "other");
    const before = async (seq: number | null) => (await subject.store.eventsBefore("lane", seq, 2)).map(({ id }) => id);
    expect([await before(null), await before(4), await before(1)]).toEqual([
      ["lane-5", "lane-4"],
      ["lane-3", "lane-2"],
      [],
    ]);
  });

  it("returns as many of a lane's newest events as fit the character limit, and at least one", async () => {
    await append(1, 5);
    const size = JSON.stringify(someEvents(1, 1)[0]?.event).length;
    const fitting = async (characters: number) =>
      (await subject.store.eventsBefore("lane", 5, 10, characters)).map(({ id }) => id);
    expect(await fitting(2 * size + 1)).toEqual(["lane-4", "lane-3"]);
    expect(await fitting(1)).toEqual(["lane-4"]);
    expect(await fitting(100 * size)).toEqual(ids(1, 4).reverse());
  });

  it("knows which lanes are in a turn", async () => {
    const { store } = subject;
    const started = { type: "turn.started", data: { prompt: null } } as const;
    const ended = { type: "turn.ended", data: { reason: "completed", error: null, queued: 0 } } as const;
    await store.appendEvents([logged(anEvent({ seq: 1 }, started)), ...someEvents(2, 2)], keep);
    await store.appendEvents([logged(anEvent({ seq: 1, lane: "other" }, started))], keep);
    await store.appendEvents([logged(anEvent({ seq: 2, lane: "other" }, ended)), ...someEvents(3, 3, "other")], keep);
    expect(await store.lanesInTurn()).toEqual(["lane"]);
  });

  it("prunes old events, but never the newest hundred of a lane", async () => {
    const { store } = subject;
    await append(1, 300, "lane", 1000);
    await append(1, 50, "other", 1000);
    const prune = (events: number) => store.prune({ responded: 0, failed: 0, log: 0, events, stats: 0 });
    await prune(21);
    expect((await page(undefined, { lane: "lane" })).ids).toEqual(ids(21, 300));
    await prune(1000);
    expect((await page(undefined, { lane: "lane" })).ids).toEqual(ids(201, 300));
    expect((await page(undefined, { lane: "other" })).ids).toEqual(ids(1, 50, "other"));
    await append(301, 301);
    expect(await store.lastEventSeq("lane")).toBe(301);
  });

  it("cuts a page of large events short", async () => {
    const message = "x".repeat(1024 * 1024);
    const large = (seq: number) => logged(anEvent({ seq }, { type: "error", data: { message, item: null } }));
    await subject.store.appendEvents([1, 2, 3, 4, 5, 6].map(large), keep);
    const part = await page();
    expect(part.ids.length).toBeLessThan(6);
    expect((await page(part.cursor)).ids).toEqual(ids(part.ids.length + 1, 6));
  });

  it("keeps events when their lane is removed, and continues when it is created again", async () => {
    const { store } = subject;
    await append(1, 2, "other");
    await store.removeLane("other", 1);
    expect((await page(undefined, { lane: "other" })).ids).toEqual(ids(1, 2, "other"));
    await append(3, 3, "other");
  });
}

/** The log of universal events: numbered without a gap in each lane, one order over all, bounded. */
import { expect, it } from "vitest";
import { anEvent, logged, someEvents } from "../../support/events.ts";
import type { Subject } from "../store-conformance.ts";

const keep = 100;

export function events(subject: Subject): void {
  const append = (from: number, to: number, lane = "lane", most = keep) =>
    subject.store.appendEvents(someEvents(from, to, lane), most);
  const page = async (after?: string, { lane, limit = 1000 }: { lane?: string; limit?: number } = {}) => {
    const { events, ...rest } = await subject.store.events({ after, lane, limit });
    return { ...rest, ids: events.map(({ event }) => event.id), events };
  };
  const ids = (from: number, to: number, lane = "lane") => someEvents(from, to, lane).map(({ event }) => event.id);

  it("gives back what was appended, with the very text, in one order over all lanes", async () => {
    const { store } = subject;
    const batch = [...someEvents(1, 2), ...someEvents(1, 1, "other"), ...someEvents(3, 3)];
    const cursors = await store.appendEvents(batch, keep);
    await subject.reopen();
    const { reset, events, cursor } = await page();
    expect(events).toEqual(batch.map((one, index) => ({ ...one, cursor: cursors[index] })));
    expect([reset, cursor]).toEqual([null, await subject.store.eventsEnd()]);
  });

  it("takes a batch whole or not at all, and no gap in a lane", async () => {
    const { store } = subject;
    await append(1, 2);
    const bad = [...someEvents(1, 1, "other"), ...someEvents(4, 4)];
    await expect(store.appendEvents(bad, keep)).rejects.toMatchObject({ code: "events_out_of_order" });
    await expect(append(2, 2)).rejects.toMatchObject({ code: "events_out_of_order" });
    expect((await page()).ids).toEqual(ids(1, 2));
    expect([await store.lastEventSeq("lane"), await store.lastEventSeq("other")]).toEqual([2, 0]);
  });

  it("goes on after any event and any page, also after a restart, without a gap or a repetition", async () => {
    const [first] = await append(1, 5);
    await append(1, 3, "other");
    expect((await page(first)).ids).toEqual([...ids(2, 5), ...ids(1, 3, "other")]);
    const seen: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const part = await page(cursor, { limit: 3 });
      if (part.ids.length === 0) break;
      seen.push(...part.ids);
      cursor = part.cursor;
      await subject.reopen();
    }
    expect(seen).toEqual([...ids(1, 5), ...ids(1, 3, "other")]);
  });

  it("shows one lane only, and moves on past what belongs to others", async () => {
    await append(1, 2);
    await append(1, 2, "other");
    const part = await page(undefined, { lane: "lane" });
    expect(part.ids).toEqual(ids(1, 2));
    expect(part.cursor).toBe(await subject.store.eventsEnd());
  });

  it("keeps the newest of a lane, and goes on counting", async () => {
    const { store } = subject;
    await append(1, 3, "other");
    for (let seq = 1; seq <= 230; seq += 10) await append(seq, seq + 9);
    const { ids: left } = await page(undefined, { lane: "lane" });
    expect(left.length).toBeGreaterThanOrEqual(keep);
    expect(left.length).toBeLessThanOrEqual(keep + keep / 10);
    expect(left.at(-1)).toBe("lane-230");
    expect((await page(undefined, { lane: "other" })).ids).toEqual(ids(1, 3, "other"));
    expect(await store.lastEventSeq("lane")).toBe(230);
  });

  it("says once, to whoever has missed some, that they are not kept any more, and then goes on", async () => {
    const [, second] = await append(1, 2);
    await append(1, 3, "other");
    for (let seq = 3; seq <= 202; seq += 50) await append(seq, seq + 49);
    const ofLane = await page(second, { lane: "lane" });
    expect([typeof ofLane.reset, ofLane.ids.at(-1)]).toEqual(["string", "lane-202"]);
    const all = await page(second, { limit: 2 });
    expect([typeof all.reset, all.ids]).toEqual(["string", ids(1, 2, "other")]);
    const further = await page(all.cursor, { limit: 2 });
    expect([further.reset, further.ids[0]]).toEqual([null, "other-3"]);
    expect((await page(all.reset ?? "", { limit: 2 })).reset).toBeNull();
    expect((await page(second, { lane: "other" })).reset).toBeNull();
    expect((await page(undefined, { limit: 2 })).reset).toBeNull();
  });

  it("says so to whoever comes from ahead of everything, and begins with the oldest", async () => {
    await append(1, 2);
    const ahead = Buffer.from("e1.99999").toString("base64url");
    const part = await page(ahead);
    expect([typeof part.reset, part.ids]).toEqual(["string", ids(1, 2)]);
    expect((await page(part.cursor)).reset).toBeNull();
  });

  it("refuses a cursor that it did not hand out, and one of the feed", async () => {
    await expect(page("nonsense")).rejects.toMatchObject({ code: "cursor_invalid" });
    await expect(page(await subject.store.feedEnd())).rejects.toMatchObject({ code: "cursor_invalid" });
  });

  it("shows the newest of a lane first, as far back as one wants", async () => {
    await append(1, 5);
    await append(1, 1, "other");
    const before = async (seq: number | null) => (await subject.store.eventsBefore("lane", seq, 2)).map(({ id }) => id);
    expect([await before(null), await before(4), await before(1)]).toEqual([
      ["lane-5", "lane-4"],
      ["lane-3", "lane-2"],
      [],
    ]);
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

  it("loses what is old, but never the newest hundred of a lane", async () => {
    const { store } = subject;
    await append(1, 300, "lane", 1000);
    await append(1, 50, "other", 1000);
    const prune = (events: number) => store.prune({ responded: 0, failed: 0, feed: 0, events });
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

  it("stays when its lane is removed, and goes on when that is made again", async () => {
    const { store } = subject;
    await append(1, 2, "other");
    await store.removeLane("other", 1);
    expect((await page(undefined, { lane: "other" })).ids).toEqual(ids(1, 2, "other"));
    await append(3, 3, "other");
  });
}

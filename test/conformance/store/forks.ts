/** A lane that begins with the history of another one is created as a whole, or not at all. */
import { expect, it } from "vitest";
import type { LogItem } from "../../../src/core/log/log-item.ts";
import type { LaneFork } from "../../../src/store/port.ts";
import { someEvents } from "../../support/core/events.ts";
import { aLane } from "../../support/daemon/waybill.ts";
import type { Subject } from "../store-conformance.ts";

const day = "2026-01-01";
const aFork = (fork: Partial<LaneFork> = {}): LaneFork => ({
  lane: aLane({ id: "copy", model: "large" }),
  sessionId: "session-2",
  at: 200,
  usage: [{ messageId: "row-1", tokens: 3, cost: 0.5, day }],
  events: someEvents(1, 3, "copy"),
  ...fork,
});

export function forks(subject: Subject): void {
  const nothingWasMade = async (cursor: string) => {
    const { store } = subject;
    expect([await store.lane("copy"), await store.sessions("copy")]).toEqual([null, []]);
    expect([store.logEnd(), await store.lastEventSeq("copy")]).toEqual([cursor, 0]);
    expect(await store.usageOf("copy", day)).toMatchObject({ tokens: 0 });
  };

  it("a forked lane has its session, events and usage, even after a restart", async () => {
    const told: LogItem[] = [];
    subject.store.onLog((items) => told.push(...items));
    const lane = await subject.store.forkLane(aFork(), 100);
    expect(lane).toMatchObject({
      id: "copy",
      model: "large",
      sessionId: "session-2",
      generation: 1,
      pausedReason: null,
    });
    await subject.reopen();
    const { store } = subject;
    expect(await store.lane("copy")).toEqual(lane);
    expect(await store.sessions("copy")).toEqual([{ generation: 1, sessionId: "session-2", openedAt: 200 }]);
    const { items } = await store.readLog({ lane: "copy", limit: 10 });
    expect(items).toEqual(told);
    expect(items[0]).toMatchObject({ type: "lane", lane });
    expect(items.slice(1)).toMatchObject(someEvents(1, 3, "copy").map(({ text }) => ({ type: "event", text })));
    expect(await store.usageOf("copy", day)).toMatchObject({ tokens: 3, cost: 0.5 });
    await store.appendEvents(someEvents(4, 4, "copy"), 100);
  });

  it("a lane without a session and without events can also be forked", async () => {
    const lane = await subject.store.forkLane(aFork({ sessionId: null, events: [], usage: [] }), 100);
    expect([lane.sessionId, lane.generation]).toEqual([null, 0]);
    const { items } = await subject.store.readLog({ lane: "copy", limit: 10 });
    expect(items).toMatchObject([{ type: "lane", lane }]);
  });

  it("nothing is created when the session belongs to another lane", async () => {
    const { store } = subject;
    await store.openSession("lane", "session-2", 100);
    const cursor = store.logEnd();
    await expect(store.forkLane(aFork(), 100)).rejects.toMatchObject({ code: "session_in_use" });
    await nothingWasMade(cursor);
  });

  it("nothing is created when its events have a gap", async () => {
    const cursor = subject.store.logEnd();
    const fork = aFork({ events: [...someEvents(1, 1, "copy"), ...someEvents(3, 3, "copy")] });
    await expect(subject.store.forkLane(fork, 100)).rejects.toMatchObject({ code: "events_out_of_order" });
    await nothingWasMade(cursor);
  });

  it("a fork cannot take the id of an existing or removed lane", async () => {
    const { store } = subject;
    const there = aFork({ lane: aLane({ id: "other" }), events: [] });
    await expect(store.forkLane(there, 100)).rejects.toMatchObject({ code: "not_possible" });
    await store.removeLane("other", 100);
    await expect(store.forkLane(there, 100)).rejects.toMatchObject({ code: "not_possible" });
    expect(await store.lane("other")).toBeNull();
  });
}

/**
 * Statistics by lane and day: each end of a delivery once, in the transaction that writes it, kept after its record is
 * pruned.
 */
import { expect, it } from "vitest";
import { dayOf } from "../../../src/core/lane/lane.ts";
import {
  accepted,
  admit,
  cancelled,
  failedForGood,
  move,
  proven,
  retriedByPerson,
  seen,
  start,
  submit,
} from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

const dayMs = 24 * 3600_000;
const today = dayOf(start);
const tomorrow = dayOf(start + dayMs);
const ever = { from: "1970-01-01" };
const none = { responded: 0, failed: 0, cancelled: 0, retries: 0, tokens: 0, cost: 0 };
const untimed = { accept: null, firstToken: null, proof: null };
const isEverything = start + 1000 * dayMs;

export function stats(subject: Subject): void {
  const sent = async (id: string, lane = "lane") => {
    const record = await admit(subject.store, { id, recipient: { kind: "lane", lane } });
    return (await move(subject.store, record, submit(record), accepted(1, start + 40))).record;
  };
  const counted = () => subject.store.dayStats(ever);

  it("there are no statistics until a delivery ends", async () => {
    await sent("m1");
    expect(await counted()).toEqual([]);
  });

  it("ends are counted by lane and day, and the times of answered deliveries are summed", async () => {
    const { store } = subject;
    const timing = {
      number: 1,
      storedAt: start + 30,
      firstTokenAt: start + 500,
      lastActivityAt: null,
      finishedAt: null,
    };
    const observed = { ...seen("responded_plain_text"), timings: [timing] };
    await move(store, await sent("m1"), proven({ at: start + 1000, observed }));
    await move(store, await sent("m2"), proven({ at: start + 3000 }));
    await move(store, await sent("m3"), cancelled(start + dayMs));
    await move(store, await sent("m4", "other"), failedForGood());
    expect(await counted()).toEqual([
      {
        ...{ ...none, day: today, laneId: "lane", responded: 2 },
        accept: expect.objectContaining({ sumMs: 70, maxMs: 40 }),
        firstToken: expect.objectContaining({ sumMs: 500, maxMs: 500 }),
        proof: expect.objectContaining({ sumMs: 4000, maxMs: 3000 }),
      },
      { ...none, ...untimed, day: today, laneId: "other", failed: 1 },
      { ...none, ...untimed, day: tomorrow, laneId: "lane", cancelled: 1 },
    ]);
  });

  it("a failed delivery moves to the day of its late proof", async () => {
    const { store } = subject;
    const { record } = await move(store, await sent("m1"), failedForGood());
    await move(store, record, proven({ at: start + dayMs }));
    expect(await counted()).toMatchObject([
      { ...none, ...untimed, day: today },
      { ...none, day: tomorrow, responded: 1, proof: { sumMs: dayMs } },
    ]);
  });

  it("a delivery that a person retries counts by its final outcome", async () => {
    const { store } = subject;
    const { record: failed } = await move(store, await sent("m1"), failedForGood());
    const { record } = await move(store, failed, retriedByPerson());
    expect(await counted()).toEqual([{ ...none, ...untimed, day: today, laneId: "lane" }]);
    await move(store, record, submit(record), accepted(2), failedForGood());
    expect(await counted()).toMatchObject([{ ...none, day: today, failed: 1, retries: 1 }]);
  });

  it("an end that could not be made durable does not count", async () => {
    const { store } = subject;
    const record = await sent("m1");
    subject.failNextCommit();
    await expect(store.apply(record.id, [proven()])).rejects.toThrow();
    expect(await counted()).toEqual([]);
    await move(store, record, proven());
    expect(await counted()).toMatchObject([{ responded: 1 }]);
  });

  it("usage is counted with it, each message once and on its first day", async () => {
    const { store } = subject;
    await store.countUsage("lane", [
      { messageId: "m1", day: today, tokens: 10, cost: 0.25 },
      { messageId: "m2", day: today, tokens: 5, cost: 0.5 },
    ]);
    await move(store, await sent("m1"), proven());
    await store.countUsage("lane", [{ messageId: "m1", day: tomorrow, tokens: 30, cost: 0.25 }]);
    await store.countUsage("other", [{ messageId: "m1", day: tomorrow, tokens: 1, cost: 0 }]);
    expect(await counted()).toMatchObject([
      { day: today, laneId: "lane", responded: 1, tokens: 35, cost: 0.75 },
      { ...none, ...untimed, day: tomorrow, laneId: "other", tokens: 1 },
    ]);
  });

  it("a forked lane's earlier usage does not count as its own", async () => {
    const { store } = subject;
    const lane = await store.lane("lane");
    if (!lane) throw new Error("there is no lane");
    const usage = [{ messageId: "m1", day: today, tokens: 10, cost: 1 }];
    await store.forkLane({ lane: { ...lane, id: "fork" }, sessionId: null, at: start, usage, events: [] }, 100);
    await store.countUsage("fork", usage);
    expect(await counted()).toEqual([]);
  });

  it("statistics can be read from a given day on, and for one lane", async () => {
    const { store } = subject;
    for (const [id, lane, at] of [
      ["m1", "lane", start],
      ["m2", "lane", start + dayMs],
      ["m3", "other", start + dayMs],
    ] as const) {
      await move(store, await sent(id, lane), proven({ at }));
    }
    const found = async (filter: { from: string; laneId?: string }) =>
      (await store.dayStats(filter)).map(({ day, laneId }) => [day, laneId]);
    expect(await found({ from: tomorrow })).toEqual([
      [tomorrow, "lane"],
      [tomorrow, "other"],
    ]);
    expect(await found({ from: today, laneId: "lane" })).toEqual([
      [today, "lane"],
      [tomorrow, "lane"],
    ]);
  });

  it("statistics outlive records, usage, restarts and the lane", async () => {
    await move(subject.store, await sent("m1"), proven());
    await subject.store.countUsage("lane", [{ messageId: "m1", day: today, tokens: 10, cost: 0.5 }]);
    const before = await counted();
    expect(before).toHaveLength(1);
    const times = {
      responded: isEverything,
      failed: isEverything,
      log: isEverything,
      events: isEverything,
      stats: start,
    };
    expect(await subject.store.prune(times)).toBe(1);
    await subject.store.removeLane("lane", start);
    await subject.reopen();
    expect(await counted()).toEqual(before);
  });

  it("pruned usage is not counted again when its message is read again", async () => {
    const used = [{ messageId: "m1", day: today, tokens: 10, cost: 0.5 }];
    await subject.store.countUsage("lane", used);
    const times = { responded: isEverything, failed: 0, log: 0, events: 0, stats: start };
    for (const more of [0, 5]) {
      await subject.store.prune(times);
      await subject.reopen();
      await subject.store.countUsage(
        "lane",
        used.map((one) => ({ ...one, tokens: one.tokens + more })),
      );
    }
    expect(await counted()).toMatchObject([{ tokens: 10, cost: 0.5 }]);
  });

  it("old days are pruned, and a failure on one of them does not bring it back", async () => {
    const { store } = subject;
    const { record } = await move(store, await sent("m1"), failedForGood());
    await move(store, await sent("m2", "other"), proven({ at: start + dayMs }));
    const prune = (at: number) => store.prune({ responded: 0, failed: 0, log: 0, events: 0, stats: at });
    await prune(start);
    expect(await counted()).toHaveLength(2);
    await prune(start + dayMs);
    expect(await counted()).toMatchObject([{ day: tomorrow, laneId: "other" }]);
    await move(store, record, proven({ at: start + dayMs }));
    expect((await counted()).map(({ day, laneId, responded }) => [day, laneId, responded])).toEqual([
      [tomorrow, "lane", 1],
      [tomorrow, "other", 1],
    ]);
  });
}

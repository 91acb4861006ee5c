/** One outstanding delivery per lane; the oldest waiting one is next; one that failed for good holds up nothing. */
import { expect, it } from "vitest";
import {
  accepted,
  admit,
  cancelled,
  failedForGood,
  move,
  proven,
  retriedByPerson,
  start,
  submit,
} from "../../support/core/deliveries.ts";
import type { Subject } from "../store-conformance.ts";

const held = { outcome: "refused", reason: "lane_held_by_another_delivery" };
const inOther = { kind: "lane", lane: "other" } as const;

export function laneOrder(subject: Subject): void {
  it("a second delivery is not submitted while one is outstanding", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    const { record: submitted } = await move(store, one, submit(one));
    expect(await store.apply(two.id, [submit(two)])).toEqual({ ...held, record: two });
    expect(await store.delivery(two.id)).toEqual(two);
    expect(await store.history(two.id)).toHaveLength(1);
    expect(await store.outstanding("lane")).toEqual(submitted);
  });

  it("of two submits in the same tick, one holds the lane", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    const both = await Promise.all([store.apply(one.id, [submit(one)]), store.apply(two.id, [submit(two)])]);
    expect(both[0]).toMatchObject({ outcome: "applied" });
    expect(both[1]).toEqual({ ...held, record: two });
  });

  it("lanes do not hold each other", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m1", recipient: inOther });
    await move(store, one, submit(one));
    expect(await store.apply(two.id, [submit(two)])).toMatchObject({ outcome: "applied" });
  });

  it("a delivery that failed for good does not hold its lane", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    await move(store, one, submit(one), failedForGood(start, start + 60_000));
    expect(await store.outstanding("lane")).toBeNull();
    expect(await store.apply(two.id, [submit(two)])).toMatchObject({ outcome: "applied" });
  });

  it("late proof of a failed delivery does not take the lane from another", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    await move(store, one, submit(one), failedForGood());
    const { record: holder } = await move(store, two, submit(two));
    expect(await store.apply(one.id, [proven({ turnEnded: false })])).toMatchObject({ outcome: "applied" });
    expect(await store.outstanding("lane")).toEqual(holder);
  });

  it("an answered delivery holds its lane until its turn has ended", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    const { record: owed } = await move(store, one, submit(one), accepted(), proven({ turnEnded: false }));
    expect(await store.outstanding("lane")).toEqual(owed);
    expect(await store.apply(two.id, [submit(two)])).toMatchObject(held);
    await move(store, one, { type: "turn_ended", at: start + 1 });
    expect(await store.outstanding("lane")).toBeNull();
    expect(await store.apply(two.id, [submit(two)])).toMatchObject({ outcome: "applied" });
  });

  it("an answered delivery holds its lane until its read is committed", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    await move(store, one, submit(one), proven({ readCommitted: false }));
    expect(await store.apply(two.id, [submit(two)])).toMatchObject(held);
    await move(store, one, { type: "read_committed", at: start + 1, diagnostics: [] });
    expect(await store.apply(two.id, [submit(two)])).toMatchObject({ outcome: "applied" });
  });

  it("a cancelled delivery holds its lane while its turn may still run", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    await move(store, one, submit(one), accepted(), cancelled());
    expect(await store.apply(two.id, [submit(two)])).toMatchObject(held);
    await move(store, one, { type: "turn_ended", at: start + 1 });
    expect(await store.apply(two.id, [submit(two)])).toMatchObject({ outcome: "applied" });
  });

  it("the head is the oldest waiting delivery", async () => {
    const { store } = subject;
    expect(await store.head("lane")).toBeNull();
    const one = await admit(store, { id: "m2", createdAt: start + 5 });
    const two = await admit(store, { id: "m1", createdAt: start });
    await admit(store, { id: "x1", recipient: inOther });
    expect(await store.head("lane")).toEqual(one);
    await move(store, one, submit(one));
    expect(await store.head("lane")).toEqual(two);
  });

  it("a message that a person retries is the head again, before later ones", async () => {
    const { store } = subject;
    const one = await admit(store, { id: "m1" });
    const two = await admit(store, { id: "m2" });
    await move(store, one, submit(one), failedForGood());
    expect(await store.head("lane")).toEqual(two);
    const { record: again } = await move(store, one, retriedByPerson(start + 1));
    expect(await store.head("lane")).toEqual(again);
  });

  it("lanes with work are those with a waiting or outstanding delivery", async () => {
    const { store } = subject;
    expect(await store.lanesWithWork()).toEqual([]);
    const one = await admit(store, { id: "m1" });
    expect(await store.lanesWithWork()).toEqual(["lane"]);
    const two = await admit(store, { id: "m2", recipient: inOther });
    await move(store, two, submit(two));
    expect((await store.lanesWithWork()).toSorted()).toEqual(["lane", "other"]);
    await move(store, one, submit(one), failedForGood(start, start + 60_000));
    expect(await store.lanesWithWork()).toEqual(["other"]);
    await move(store, two, proven());
    expect(await store.lanesWithWork()).toEqual([]);
  });
}

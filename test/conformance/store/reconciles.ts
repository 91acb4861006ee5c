/** Every outstanding delivery has a next reconcile, and asking for due reconciles removes none. */
import { expect, it } from "vitest";
import type { DeliveryEvent } from "../../../src/core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../../../src/core/delivery/record.ts";
import { admit, failedForGood, move, proven, seen, start, submit } from "../../support/core/deliveries.ts";
import { aLane } from "../../support/daemon/waybill.ts";
import type { Subject } from "../store-conformance.ts";

export function reconciles(subject: Subject): void {
  /** A submitted delivery in its own lane, to be reconciled that many milliseconds after the start. */
  const submitted = async (laneId: string, lookIn: number, team: string | null = null): Promise<DeliveryRecord> => {
    await subject.store.putLane(aLane({ id: laneId, team }));
    const record = await admit(subject.store, { id: "m1", recipient: { kind: "lane", lane: laneId } });
    return (await move(subject.store, record, submit(record, { reconcileAt: start + lookIn }))).record;
  };
  const looked = (at: number, reconcileAt: number | null): DeliveryEvent => ({
    type: "reconciled",
    at: start + at,
    observed: seen("pending"),
    reason: null,
    found: true,
    missed: false,
    reconcileAt: reconcileAt === null ? null : start + reconcileAt,
  });
  const dueLanes = async (after: number, limit = 10) =>
    (await subject.store.dueReconciles(start + after, limit)).map((due) => due.laneId);

  it("an idle store has no next reconcile", async () => {
    const { store } = subject;
    expect(await store.nextReconcileAt()).toBeNull();
    await admit(store, { id: "m1" });
    expect(await store.nextReconcileAt()).toBeNull();
    expect(await store.dueReconciles(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });

  it("the next reconcile is the nearest one", async () => {
    for (const [id, ms] of [
      ["a", 3000],
      ["b", 1000],
      ["c", 2000],
    ] as const)
      await submitted(id, ms);
    expect(await subject.store.nextReconcileAt()).toBe(start + 1000);
  });

  it("the next reconcile after a given time leaves out those due by then", async () => {
    await submitted("a", 1000);
    await submitted("b", 2000);
    expect(await subject.store.nextReconcileAt(start + 999)).toBe(start + 1000);
    expect(await subject.store.nextReconcileAt(start + 1000)).toBe(start + 2000);
    expect(await subject.store.nextReconcileAt(start + 2000)).toBeNull();
  });

  it("reconciles after a given time are listed, except those that wait for an expiry", async () => {
    await submitted("a", 1000);
    const { id } = await submitted("b", 2000);
    await admit(subject.store, { id: "m2", recipient: { kind: "lane", lane: "a" }, expiresAt: start + 9000 });
    expect((await subject.store.scheduledAfter(start + 1000)).map((record) => record.id)).toEqual([id]);
    expect(await subject.store.scheduledAfter(start + 2000)).toEqual([]);
  });

  it("due reconciles come in order, up to the limit", async () => {
    for (const [id, ms] of [
      ["a", 3000],
      ["b", 1000],
      ["c", 2000],
      ["d", 4000],
    ] as const)
      await submitted(id, ms);
    expect(await dueLanes(999)).toEqual([]);
    expect(await dueLanes(1000)).toEqual(["b"]);
    expect(await dueLanes(3000)).toEqual(["b", "c", "a"]);
    expect(await dueLanes(9000, 2)).toEqual(["b", "c"]);
  });

  it("a due reconcile names its delivery, lane and team", async () => {
    const inTeam = await submitted("a", 1000, "crew");
    const alone = await submitted("b", 2000);
    expect(await subject.store.dueReconciles(start + 2000, 10)).toEqual([
      { laneId: "a", deliveryId: inTeam.id, team: "crew" },
      { laneId: "b", deliveryId: alone.id, team: null },
    ]);
  });

  it("a reconcile is due until an event moves it", async () => {
    const record = await submitted("a", 1000);
    expect(await dueLanes(1000)).toEqual(["a"]);
    expect(await dueLanes(1000)).toEqual(["a"]);
    await move(subject.store, record, looked(1000, 5000));
    expect(await dueLanes(4999)).toEqual([]);
    expect(await dueLanes(5000)).toEqual(["a"]);
  });

  it("an outstanding delivery cannot lose its next reconcile", async () => {
    const record = await submitted("a", 1000);
    const applied = await subject.store.apply(record.id, [looked(1000, null)]);
    expect(applied).toMatchObject({ outcome: "refused", reason: "outstanding_without_next_reconcile" });
    expect(await subject.store.nextReconcileAt()).toBe(start + 1000);
  });

  it("reconciles are still due after a restart", async () => {
    await submitted("a", 3000);
    await submitted("b", 1000);
    await subject.reopen();
    expect(await subject.store.nextReconcileAt()).toBe(start + 1000);
    expect(await dueLanes(3000)).toEqual(["b", "a"]);
  });

  it("a closed delivery is not reconciled again", async () => {
    await move(subject.store, await submitted("a", 1000), proven({ reconcileAt: start + 2000 }));
    expect(await subject.store.nextReconcileAt()).toBeNull();
    expect(await dueLanes(9000)).toEqual([]);
  });

  it("a delivery that failed for good is reconciled for late proof while it is scheduled", async () => {
    const record = await submitted("a", 1000);
    await move(subject.store, record, failedForGood(start, start + 60_000));
    expect(await dueLanes(59_999)).toEqual([]);
    expect(await dueLanes(60_000)).toEqual(["a"]);
    await move(subject.store, record, looked(60_000, null));
    expect(await subject.store.nextReconcileAt()).toBeNull();
  });

  it("a message with an expiry is reconciled at that time", async () => {
    await admit(subject.store, { id: "m1", expiresAt: start + 7000 });
    expect(await subject.store.nextReconcileAt()).toBe(start + 7000);
    expect(await dueLanes(7000)).toEqual(["lane"]);
  });
}

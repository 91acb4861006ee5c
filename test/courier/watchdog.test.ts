import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Policy } from "../../src/core/delivery/policy.ts";
import { defaultPolicy } from "../../src/core/delivery/policy.ts";
import { newDelivery } from "../../src/core/delivery/record.ts";
import { payloadHash } from "../../src/core/message/message.ts";
import { Watchdog } from "../../src/courier/watchdog.ts";
import type { DueReconcile } from "../../src/store/port.ts";
import { openSqliteStore } from "../../src/store/sqlite/sqlite-store.ts";
import type { Store } from "../../src/store/store.ts";
import { ManualClock, settled } from "../support/core/manual-clock.ts";
import { aMessage, submitEvent } from "../support/core/records.ts";
import { aLane } from "../support/daemon/waybill.ts";
import { StoreFile } from "../support/store/store-file.ts";

let file: StoreFile;
let store: Store;
let watchdog: Watchdog;
beforeEach(() => {
  file = new StoreFile();
  store = openSqliteStore({ path: file.path });
});
afterEach(async () => {
  await watchdog.stop();
  await store.close();
  await file.dispose();
});

/** A delivery whose reconcile is due `inMs` from now. */
async function aLook(clock: ManualClock, lane: string, inMs: number, team: string | null = null): Promise<string> {
  const made = await store.putLane(aLane({ id: lane, team }));
  const message = aMessage({ recipient: { kind: "lane", lane } });
  const hash = payloadHash(message);
  const { delivery } = (await store.admit({
    message,
    payloadHash: hash,
    delivery: newDelivery(message, hash, made, defaultPolicy, 1),
    choice: null,
  })) as {
    delivery: { id: string };
  };
  const submit = submitEvent(1, 1, { messageId: `msg-${lane}` });
  await store.apply(delivery.id, [{ ...submit, reconcileAt: clock.now() + inMs } as typeof submit]);
  return delivery.id;
}

async function end(deliveryId: string): Promise<void> {
  await store.apply(deliveryId, [
    { type: "cancelled", at: 2, by: "ada", reason: "stopped_by_person", readCommitted: true, reconcileAt: 3 },
    { type: "turn_ended", at: 2 },
  ]);
}

async function watch(clock: ManualClock, attend: (due: DueReconcile) => Promise<void>, policy: Partial<Policy> = {}) {
  const errors: unknown[] = [];
  watchdog = new Watchdog({
    store,
    policy: { ...defaultPolicy, ...policy },
    clock,
    attend,
    onError: ({ error }) => errors.push(error),
  });
  await watchdog.start();
  await settled();
  return errors;
}

describe("the watchdog", () => {
  test("does not forget a reconcile that becomes due between two queries", async () => {
    for (let inMs = 0; inMs < 6; inMs++) {
      const clock = new ManualClock({ restless: true });
      const id = await aLook(clock, `lane-${inMs}`, inMs);
      const looked: string[] = [];
      await watch(clock, async ({ deliveryId }) => {
        looked.push(deliveryId);
        await end(deliveryId);
      });
      await clock.until(() => looked.includes(id), 60_000);
      await watchdog.stop();
      expect(looked).toEqual([id]);
    }
  });

  test("reconciles two at a time, one per team, and continues with the next when one has ended", async () => {
    const clock = new ManualClock();
    for (const lane of ["red-1", "red-2"]) await aLook(clock, lane, 10, "red");
    for (const lane of ["a", "b"]) await aLook(clock, lane, 10);
    const running = new Map<string, () => void>();
    const started: string[] = [];
    await watch(clock, async ({ laneId, deliveryId }) => {
      started.push(laneId);
      await new Promise<void>((resolve) => running.set(laneId, resolve));
      await store.apply(deliveryId, [
        { type: "cancelled", at: 2, by: "x", reason: "x", readCommitted: true, reconcileAt: 3 },
      ]);
      await store.apply(deliveryId, [{ type: "turn_ended", at: 2 }]);
    });
    await clock.advance(10);
    expect(started).toEqual(["red-1", "a"]);
    running.get("a")?.();
    await settled();
    expect(started).toEqual(["red-1", "a", "b"]);
    running.get("red-1")?.();
    await settled();
    expect(started).toEqual(["red-1", "a", "b", "red-2"]);
    for (const finish of running.values()) finish();
    await settled();
  });

  test("does not let a team with many due reconciles starve another", async () => {
    const clock = new ManualClock();
    for (let count = 0; count < 70; count++) await aLook(clock, `red-${count}`, 1, "red");
    await aLook(clock, "blue", 2, "blue");
    const started: string[] = [];
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await watch(clock, async ({ laneId, deliveryId }) => {
      started.push(laneId);
      await held;
      await end(deliveryId);
    });
    await clock.advance(5);
    expect(started).toEqual(["red-0", "blue"]);
    release();
    for (let turn = 0; turn < 100 && started.length < 71; turn++) await settled();
    expect(started).toHaveLength(71);
  });

  test("retries later a reconcile that moves nothing or fails, and starves no other", async () => {
    const clock = new ManualClock();
    for (const lane of ["stuck-1", "stuck-2", "stuck-3"]) await aLook(clock, lane, 1);
    await aLook(clock, "fine", 1000);
    const looked: string[] = [];
    const errors = await watch(clock, async ({ laneId }) => {
      looked.push(laneId);
      if (laneId === "stuck-1") throw new Error("broken");
    });
    await clock.advance(2000);
    expect(looked.filter((lane) => lane !== "fine").sort()).toEqual(["stuck-1", "stuck-2", "stuck-3"]);
    expect(looked).toContain("fine");
    expect(errors).toHaveLength(1);
    await clock.advance(4000);
    expect(looked.filter((lane) => lane === "stuck-2")).toHaveLength(2);
  });
});

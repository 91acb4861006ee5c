/** The orderly end of a run, on the real store with a scripted agent and a clock that the test moves. */
import { describe, expect, test } from "vitest";
import type { Drained } from "../../src/courier/drain.ts";
import { settled } from "../support/core/manual-clock.ts";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

const minute = 60_000;

/** Starts to drain; `how` is null for as long as it continues. */
function beginDrain(world: World, deadlineMs = 10 * minute) {
  const hurry = new AbortController();
  const state = { how: null as Drained | null, hurry: () => hurry.abort() };
  void world.waybill.drain(deadlineMs, hurry.signal).then((how) => {
    state.how = how;
  });
  return state;
}

const working = { turns: [{ steps: [{ wait: minute }, { say: "Done after a minute." }] }] };

describe("draining", () => {
  test("with nothing in progress ends immediately, and leaves no timer behind", async () => {
    const world = await startWorld();
    const drain = beginDrain(world);
    await settled();
    expect(drain.how).toBe("drained");
    expect(world.clock.pending).toBe(0);
  });

  test("waits for a running turn, and its answer is committed", async () => {
    const world = await startWorld({ script: working });
    await world.send({ id: "m1" });
    const drain = beginDrain(world);
    await world.clock.advance(minute / 2);
    expect(drain.how).toBeNull();
    await world.clock.until(() => drain.how !== null);
    expect(drain.how).toBe("drained");
    expect(await world.delivery("m1")).toMatchObject({ status: "responded", readCommittedAt: expect.any(Number) });
    expect(await world.mail()).toMatchObject([{ text: "Done after a minute." }]);
  });

  test("waits for the end of a turn that has answered and is still running", async () => {
    const world = await startWorld({
      lanes: [{ contract: "tool" }],
      script: { turns: [{ steps: [{ reply: "The port is 8080." }, { wait: minute }, { say: "That was all." }] }] },
    });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    const drain = beginDrain(world);
    await settled();
    expect(drain.how).toBeNull();
    await world.clock.until(() => drain.how !== null);
    expect(await world.delivery("m1")).toMatchObject({ turnEndedAt: expect.any(Number) });
  });

  test("sends nothing new: no queued, incoming or retried messages", async () => {
    const world = await startWorld({
      script: working,
      lanes: [{}, { id: "other" }, { id: "fresh" }],
      scripts: oneFailure,
    });
    const failed = await world.send({ id: "failed", to: { lane: "other" } });
    await world.clock.until(async () => (await world.delivery("failed", "other")).status === "failed_terminal");
    // Somebody has fixed the reason for the lane's pause.
    await world.waybill.store.pauseLane("other", null);
    await world.send({ id: "m1" });
    await world.send({ id: "behind" });
    const before = world.prompts().length;
    const drain = beginDrain(world);
    await world.send({ id: "late", to: { lane: "other" } });
    await world.send({ id: "first", to: { lane: "fresh" } });
    await world.waybill.interventions.retry(failed.id, "person");
    await world.clock.until(() => drain.how !== null);
    await world.clock.advance(minute);
    expect(world.prompts()).toHaveLength(before);
    expect(await world.waybill.store.sessions("fresh")).toEqual([]);
    for (const [id, lane] of [["behind"], ["late", "other"], ["failed", "other"], ["first", "fresh"]] as const) {
      expect(await world.delivery(id, lane)).toMatchObject({ status: "pending" });
    }
    await world.stop();
    await world.start();
    await world.clock.until(async () => (await world.delivery("late", "other")).status === "responded");
    expect(await world.reaches("behind", "responded")).toMatchObject({ attempts: 1 });
  });

  test("does not wait for a scheduled retry, and a due one neither spins nor loses its time", async () => {
    const world = await startWorld({ lanes: [{}, { id: "other" }], scripts: silentAndLong });
    await world.send({ id: "m1" });
    const { nextReconcileAt, version } = await world.reaches("m1", "retry_scheduled");
    await world.send({ id: "long", to: { lane: "other" } });
    const reads = countReads(world);
    const drain = beginDrain(world, 20 * minute);
    await world.clock.advance(15 * minute);
    expect(drain.how).toBeNull();
    // Reconciles come up to a minute apart, in two lanes; each reads a transcript once or twice.
    expect(reads()).toBeLessThan(80);
    expect(await world.delivery("m1")).toMatchObject({ status: "retry_scheduled", nextReconcileAt, version });
    expect(world.prompts("m1")).toHaveLength(1);
    await world.clock.until(() => drain.how !== null);
    await world.stop();
    await world.start();
    // Due immediately, since its time has long passed.
    expect(world.prompts("m1")).toHaveLength(2);
  });

  test("does not send a prompt again that seems not to have arrived", async () => {
    const world = await startWorld({
      script: { turns: [{ arrival: "lost" }], always: [{ steps: [{ say: "Here it is." }] }] },
    });
    await world.send({ id: "m1" });
    const drain = beginDrain(world, 5 * minute);
    await world.clock.until(() => drain.how !== null);
    expect(drain.how).toBe("left_running");
    expect(world.prompts("m1")).toHaveLength(1);
    await world.stop();
    await world.start();
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("leaves a turn in the ledger at the deadline; the next start finishes it without a second prompt", async () => {
    const world = await startWorld({ script: working });
    await world.send({ id: "m1" });
    const drain = beginDrain(world, minute / 2);
    await world.clock.until(() => drain.how !== null, minute);
    expect(drain.how).toBe("left_running");
    await world.stop();
    await world.start();
    expect(await world.delivery("m1")).toMatchObject({ status: "accepted" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
    expect(world.prompts("m1")).toHaveLength(1);
  });

  test("ends immediately when hurried, before or while it waits", async () => {
    const world = await startWorld({ script: working });
    await world.send({ id: "m1" });
    const drain = beginDrain(world);
    await world.clock.advance(1000);
    expect(drain.how).toBeNull();
    const { pending } = world.clock;
    drain.hurry();
    await settled();
    expect(drain.how).toBe("left_running");
    expect(world.clock.pending).toBe(pending - 1);
    expect(await world.waybill.drain(minute, AbortSignal.abort())).toBe("left_running");
  });

  test("lets a send through if its commit is in progress, and waits for its turn", async () => {
    const world = await startWorld({ script: working });
    const { store } = world.waybill;
    const { stage } = store;
    let drain: ReturnType<typeof beginDrain> | null = null;
    store.stage = (id, events, mail) => {
      if (events.some((event) => event.type === "submit")) drain = beginDrain(world);
      return stage(id, events, mail);
    };
    await world.send({ id: "m1" });
    await world.clock.until(() => drain?.how !== null);
    expect(drain).toMatchObject({ how: "drained" });
    expect(await world.delivery("m1")).toMatchObject({ status: "responded", attempts: 1 });
  });

  test("holds back an attempt that is being prepared when it starts", async () => {
    const world = await startWorld();
    const { stub } = world;
    const open = stub.openSession.bind(stub);
    let drain: ReturnType<typeof beginDrain> | null = null;
    stub.openSession = (lane) => {
      drain = beginDrain(world);
      return open(lane);
    };
    await world.send({ id: "m1" });
    expect(drain).toMatchObject({ how: "drained" });
    expect(await world.delivery("m1")).toMatchObject({ status: "pending" });
    expect(world.prompts()).toEqual([]);
  });
});

const oneFailure: NonNullable<WorldOptions["scripts"]> = {
  lane: { turns: working.turns, always: [{ steps: [{ say: "The next one." }] }] },
  other: { turns: [{ steps: [{ error: "invalid api key" }] }], always: [{ steps: [{ say: "Fine now." }] }] },
};

const silentAndLong: NonNullable<WorldOptions["scripts"]> = {
  lane: { turns: [{ steps: [] }], always: [{ steps: [{ say: "At last." }] }] },
  other: { turns: [{ steps: [{ tool: "bash", takesMs: 16 * minute }, { say: "That took long." }] }] },
};

function countReads(world: World): () => number {
  const { stub } = world;
  const read = stub.read.bind(stub);
  let reads = 0;
  stub.read = (...args) => {
    reads += 1;
    return read(...args);
  };
  return () => reads;
}

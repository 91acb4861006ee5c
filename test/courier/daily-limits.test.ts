/** Daily limits, on the real store with a scripted agent and a clock that the test moves. */
import { expect, test } from "vitest";
import { defaultPolicy } from "../../src/core/delivery/policy.ts";
import { dayOf, nextDay, noLimits } from "../../src/core/lane/lane.ts";
import { settled } from "../support/core/manual-clock.ts";
import type { World } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

const second = 1000;
const script = { always: [{ steps: [{ uses: { tokens: 60, cost: 0.6 } }, { say: "There are 12 of them." }] }] };
const limits = (tokens: number | null, cost: number | null = null) => ({
  policy: { limits: { ...defaultPolicy.limits, everyLane: { tokens, cost } } },
});

const today = (world: World) => world.waybill.store.usageOf("lane", dayOf(world.clock.now()));
const pausedReason = async (world: World) => (await world.waybill.store.lane("lane"))?.pausedReason;

async function answered(world: World, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    await world.send({ id });
    await world.reaches(id, "responded");
  }
  await world.clock.advance(second);
}

test("a lane is paused before the first prompt beyond its limit, and the message waits", async () => {
  const world = await startWorld({ script, ...limits(100) });
  await answered(world, "m1", "m2");
  expect(await pausedReason(world)).toBeNull();
  await world.send({ id: "m3" });
  await world.clock.advance(second);
  expect(await pausedReason(world)).toBe("daily_token_limit_reached");
  expect(await world.delivery("m3")).toMatchObject({ status: "pending", attempts: 0 });
  expect(world.prompts("m3")).toHaveLength(0);
  expect(await today(world)).toMatchObject({ tokens: 120 });
});

test("the lane resumes automatically the next day", async () => {
  const world = await startWorld({ script, ...limits(100) });
  await answered(world, "m1", "m2");
  await world.send({ id: "m3" });
  await world.clock.advance(nextDay(world.clock.now()) - world.clock.now() - second);
  expect(world.prompts("m3")).toHaveLength(0);
  await world.clock.advance(10 * second);
  expect(await world.delivery("m3")).toMatchObject({ status: "responded" });
  expect(await today(world)).toMatchObject({ tokens: 60 });
});

test("a restart counts nothing twice, keeps the pause, and the lane still resumes the next day", async () => {
  const world = await startWorld({ script, ...limits(null, 1) });
  await answered(world, "m1", "m2");
  await world.send({ id: "m3" });
  await world.clock.advance(second);
  expect(await pausedReason(world)).toBe("daily_cost_limit_reached");
  await world.stop();
  await world.start();
  expect(await today(world)).toMatchObject({ tokens: 120, cost: 1.2 });
  await world.clock.advance(second);
  expect(world.prompts("m3")).toHaveLength(0);
  await world.clock.advance(nextDay(world.clock.now()) - world.clock.now() + 10 * second);
  expect(await world.delivery("m3")).toMatchObject({ status: "responded" });
});

test("a person who resumes the lane lifts the limit until the day ends", async () => {
  const world = await startWorld({ script, ...limits(50) });
  await answered(world, "m1");
  await world.send({ id: "m2" });
  await world.clock.advance(second);
  expect(await pausedReason(world)).toBe("daily_token_limit_reached");
  await world.waybill.interventions.resume("lane");
  await world.reaches("m2", "responded");
  await answered(world, "m3", "m4");
  await world.clock.advance(nextDay(world.clock.now()) - world.clock.now());
  await answered(world, "m5");
  await world.send({ id: "m6" });
  await world.clock.advance(second);
  expect(await pausedReason(world)).toBe("daily_token_limit_reached");
  expect(world.prompts("m6")).toHaveLength(0);
});

test("a retry also counts as a prompt", async () => {
  const silent = { turns: [{ steps: [{ uses: { tokens: 60 } }] }], always: [{ steps: [{ say: "Late: 12." }] }] };
  const world = await startWorld({ script: silent, ...limits(50) });
  await world.send({ id: "m1" });
  await world.clock.until(async () => (await pausedReason(world)) !== null);
  expect(world.prompts("m1")).toHaveLength(1);
  await world.waybill.interventions.resume("lane");
  expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 2 });
});

test("a lost prompt is not sent again beyond the limit, and is sent once the limit allows it", async () => {
  const lost = { turns: [{ arrival: "lost" as const }], always: [{ steps: [{ say: "Late: 12." }] }] };
  const world = await startWorld({ script: lost, ...limits(100) });
  await world.send({ id: "m1" });
  expect(world.prompts("m1")).toHaveLength(1);
  const day = dayOf(world.clock.now());
  await world.waybill.store.countUsage("lane", [{ messageId: "of another session", tokens: 120, cost: 0, day }]);
  await world.clock.until(async () => (await pausedReason(world)) !== null);
  expect(await pausedReason(world)).toBe("daily_token_limit_reached");
  await world.clock.advance(600 * second);
  expect(await world.delivery("m1")).toMatchObject({ lastReason: "lane_paused", nextReconcileAt: expect.any(Number) });
  expect(world.prompts("m1")).toHaveLength(1);
  await world.waybill.interventions.resume("lane");
  expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1, attemptList: [{ sends: 2 }] });
});

test("a pause by a person is not a limit's, and does not end with the day", async () => {
  const world = await startWorld({ script, ...limits(100) });
  await world.waybill.interventions.pause("lane", "lunch");
  await world.send({ id: "m1" });
  await world.clock.advance(nextDay(world.clock.now()) - world.clock.now() + second);
  expect(await pausedReason(world)).toBe("lunch");
  await world.waybill.interventions.resume("lane");
  await settled();
  expect(await today(world)).toMatchObject({ lifted: false });
});

test("a lane with its own limit does not share the common one, and lanes are counted separately", async () => {
  const { everyLane } = limits(50).policy.limits;
  const world = await startWorld({
    script,
    lanes: [{}, { id: "free" }],
    policy: { limits: { everyLane, byLane: { free: noLimits } } },
  });
  await answered(world, "m1");
  for (const id of ["f1", "f2"]) {
    await world.send({ id, to: { lane: "free" } });
    await world.clock.until(async () => (await world.delivery(id, "free")).status === "responded");
  }
  await world.send({ id: "m2" });
  await world.clock.advance(second);
  expect(await pausedReason(world)).toBe("daily_token_limit_reached");
  expect((await world.waybill.store.lane("free"))?.pausedReason).toBeNull();
});

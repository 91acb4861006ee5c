/** Limits how many lanes work on messages from chats at a time, on the real store with scripted agents. */
import { expect, test } from "vitest";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

const second = 1000;
const lanes = ["a", "b", "c", "d"].map((id) => ({ id }));
const script = { always: [{ steps: [{ wait: 10 * second }, { say: "There are 12 of them." }] }] };
const options: WorldOptions = { lanes, script, maxTurns: { source: "telegram", max: 2 } };

const ask = (world: World, lane: string, id = `m-${lane}`, source: "telegram" | "cli" = "telegram") =>
  world.send({ id, to: { lane }, source });
const statuses = (world: World, ...ids: string[]) =>
  Promise.all(ids.map(async (lane) => (await world.delivery(`m-${lane}`, lane)).status));

test("no more lanes than allowed work on messages from chats; the others wait with a reason, and start oldest first", async () => {
  const world = await startWorld(options);
  for (const lane of ["a", "b", "d", "c"]) {
    await ask(world, lane);
    await world.clock.advance(second);
  }
  expect(await statuses(world, "a", "b", "c", "d")).toEqual(["accepted", "accepted", "pending", "pending"]);
  expect(world.waybill.courier.waitReason("d")).toBe("too_many_turns_running");
  await world.clock.until(async () => (await statuses(world, "a"))[0] === "responded");
  expect(world.prompts("m-d")).toHaveLength(1);
  expect(world.prompts("m-c")).toHaveLength(0);
  await world.clock.until(async () => (await statuses(world, "c"))[0] === "responded");
  expect(world.waybill.courier.waitReason("d")).toBeNull();
});

test("each sender of many simultaneous messages can be told immediately that theirs waits", async () => {
  const world = await startWorld(options);
  const sent = await Promise.all(lanes.map(({ id }) => ask(world, id)));
  const waiting = sent.filter(({ laneId }) => world.waybill.courier.waitReason(laneId) !== null);
  expect(waiting).toHaveLength(2);
  await world.clock.until(async () => (await statuses(world, "a", "b", "c", "d")).every((one) => one === "responded"));
});

test("messages from other sources are not limited and take no slot", async () => {
  const world = await startWorld(options);
  for (const lane of ["a", "b"]) await ask(world, lane, `m-${lane}`, "cli");
  for (const lane of ["c", "d"]) await ask(world, lane);
  await world.clock.advance(second);
  expect(await statuses(world, "a", "b", "c", "d")).toEqual(["accepted", "accepted", "accepted", "accepted"]);
});

test("a message waiting in a paused lane delays no other lane, and starts when its lane is resumed", async () => {
  const world = await startWorld({ ...options, maxTurns: { source: "telegram", max: 1 } });
  for (const lane of ["a", "b", "c"]) {
    await ask(world, lane);
    await world.clock.advance(10);
  }
  await world.waybill.interventions.pause("b", "tea");
  await world.clock.until(async () => (await statuses(world, "c"))[0] === "responded");
  expect(await statuses(world, "b")).toEqual(["pending"]);
  await world.waybill.interventions.resume("b");
  await world.clock.until(async () => (await statuses(world, "b"))[0] === "responded");
});

test("a waiting message can be withdrawn, and a stopped one gives its slot to the next", async () => {
  const world = await startWorld({ ...options, maxTurns: { source: "telegram", max: 1 } });
  for (const lane of ["a", "b", "c"]) {
    await ask(world, lane);
    await world.clock.advance(10);
  }
  await world.waybill.interventions.withdraw((await world.delivery("m-b", "b")).id, "user");
  await world.waybill.interventions.stop("a", "user");
  await world.clock.advance(2 * second);
  expect(await statuses(world, "a", "b", "c")).toEqual(["cancelled", "cancelled", "accepted"]);
});

test("a restart counts messages that were sent before it", async () => {
  const world = await startWorld(options);
  for (const lane of ["a", "b", "c"]) {
    await ask(world, lane);
    await world.clock.advance(10);
  }
  await world.stop();
  await world.start();
  await world.clock.advance(second);
  expect(await statuses(world, "a", "b", "c")).toEqual(["accepted", "accepted", "pending"]);
  await world.clock.until(async () => (await statuses(world, "c"))[0] === "responded");
});

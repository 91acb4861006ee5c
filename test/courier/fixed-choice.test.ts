import { expect, test } from "vitest";
import type { StubScriptInput } from "../../src/runtimes/stub/script.ts";
import type { World } from "../support/daemon/waybill.ts";
import { aLane, startWorld } from "../support/daemon/waybill.ts";

const silent = { steps: [] };
const answers = { steps: [{ say: "Done, 1." }] };
const to = { lane: "lane-of-people" };

/** The choice that each prompt was sent with. */
function watchSubmits(world: World, seen: string[]): void {
  const { submit } = world.stub;
  world.stub.submit = (lane, prompt, signal) => {
    seen.push(`${lane.agent}/${lane.model}`);
    return submit.call(world.stub, lane, prompt, signal);
  };
}

/** With a lane that no start resets to its configuration. */
async function start(turns: NonNullable<StubScriptInput["turns"]>) {
  const world = await startWorld({ script: { turns, always: [answers] } });
  await world.waybill.store.putLane(aLane({ id: to.lane, agent: "build", model: "first" }));
  const seen: string[] = [];
  watchSubmits(world, seen);
  const change = (agent: string, model: string) => world.waybill.store.changeLane(to.lane, { agent, model });
  const reaches = async (id: string, status: string) => {
    await world.clock.until(async () => (await world.delivery(id, to.lane)).status === status);
    return world.delivery(id, to.lane);
  };
  return { world, seen, change, reaches };
}

test("agent and model of a delivery are fixed at its first attempt, and every retry keeps them, even after a restart", async () => {
  const { world, seen, change, reaches } = await start([silent, silent, answers]);
  await world.send({ id: "m1", to });
  await world.send({ id: "m2", to });
  await reaches("m1", "retry_scheduled");
  await change("plan", "second");
  await world.clock.until(() => seen.length === 2);
  await reaches("m1", "retry_scheduled");
  await world.stop();
  await world.start();
  watchSubmits(world, seen);
  expect(await reaches("m1", "responded")).toMatchObject({ attempts: 3 });
  // The waiting message had no attempt yet, so the change applies to it.
  await reaches("m2", "responded");
  expect(seen).toEqual(["build/first", "build/first", "build/first", "plan/second"]);
});

test("a prompt that is sent again, and one in a fresh session, go to the same agent and model", async () => {
  const { world, seen, change, reaches } = await start([{ arrival: "lost" }, { steps: [{ stale: true }] }, answers]);
  await world.send({ id: "m1", to });
  await change("plan", "second");
  expect(await reaches("m1", "responded")).toMatchObject({ attempts: 1, repairs: 1 });
  expect(seen).toEqual(["build/first", "build/first", "build/first"]);
});

test("a person's retry also keeps them", async () => {
  const { world, seen, change, reaches } = await start([silent, silent, silent, answers]);
  await world.send({ id: "m1", to });
  const { id } = await reaches("m1", "failed_terminal");
  await change("plan", "second");
  await world.waybill.interventions.retry(id, "user");
  await reaches("m1", "responded");
  expect(new Set(seen)).toEqual(new Set(["build/first"]));
});

test("a refused delivery gets the lane's current choice when a person retries it", async () => {
  const { world, seen, change, reaches } = await start([{ arrival: "refused" }, silent, answers]);
  await world.send({ id: "m1", to });
  const { id } = await reaches("m1", "failed_terminal");
  await change("plan", "second");
  await world.waybill.interventions.retry(id, "user");
  await reaches("m1", "retry_scheduled");
  await change("build", "third");
  await reaches("m1", "responded");
  expect(seen).toEqual(["build/first", "plan/second", "plan/second"]);
});

/** A lane that continues in a fresh session because a person wants it. */
import { describe, expect, test } from "vitest";
import { startWorld } from "../support/daemon/waybill.ts";

const script = { always: [{ when: "slow", steps: [{ wait: 60_000 }] }, { steps: [{ say: "The answer is 42." }] }] };

async function withHistory() {
  const world = await startWorld({ script });
  await world.send({ id: "m1" });
  const { runtimeSessionId } = await world.reaches("m1", "responded");
  return { world, before: runtimeSessionId };
}

describe("a new session", () => {
  test("is the lane's next generation, from the next message on", async () => {
    const { world, before } = await withHistory();
    await world.waybill.interventions.newSession("lane", null);
    await world.send({ id: "m2" });
    const { runtimeSessionId } = await world.reaches("m2", "responded");
    expect(runtimeSessionId).not.toBe(before);
    expect(await world.waybill.store.lane("lane")).toMatchObject({ sessionId: runtimeSessionId, generation: 2 });
  });

  test("is opened once if the same request is repeated", async () => {
    const { world } = await withHistory();
    await world.clock.advance(1000);
    const asked = world.clock.now();
    await world.waybill.interventions.newSession("lane", asked);
    await world.clock.advance(1000);
    await world.waybill.interventions.newSession("lane", asked);
    expect(await world.waybill.store.lane("lane")).toMatchObject({ generation: 2 });
  });

  test("is refused while a message is being worked on", async () => {
    const { world } = await withHistory();
    await world.send({ id: "m2", text: "slow" });
    await expect(world.waybill.interventions.newSession("lane", null)).rejects.toMatchObject({ code: "lane_in_use" });
    expect(await world.waybill.store.lane("lane")).toMatchObject({ generation: 1 });
  });

  test("is not opened for a lane that has none yet", async () => {
    const world = await startWorld({ script });
    await world.waybill.interventions.newSession("lane", null);
    expect(await world.waybill.store.lane("lane")).toMatchObject({ sessionId: null, generation: 0 });
  });
});

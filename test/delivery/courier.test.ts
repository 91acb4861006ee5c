import { afterEach, describe, expect, test } from "vitest";
import type { WorldOptions } from "../support/waybill.ts";
import { World } from "../support/waybill.ts";

let world: World;
const run = async (options: WorldOptions) => {
  world = await new World(options).start();
  return world;
};
afterEach(async () => {
  const { troubles } = world;
  await world.dispose();
  expect(troubles).toEqual([]);
});

describe("a message on its way", () => {
  test("an answered message is responded, read, and its answer is in the sender's mailbox", async () => {
    await run({ script: { turns: [{ steps: [{ say: "Forty-two." }] }] } });
    await world.send({ id: "m1", text: "What is the answer?" });
    const record = await world.reaches("m1", "responded");
    expect(record).toMatchObject({ attempts: 1, responseState: "responded_plain_text", proof: { by: "plain_text" } });
    expect(record.readCommittedAt).not.toBeNull();
    expect(await world.mail()).toEqual([{ from: "lane", text: "Forty-two.", relayOf: "m1" }]);
    expect(await world.history("m1")).toEqual(["admitted", "submit", "accepted", "proven"]);
  });

  test("an empty turn is retried and then answered", async () => {
    await run({ script: { turns: [{ steps: [] }, { steps: [{ say: "Here it is." }] }] } });
    await world.send({ id: "m1" });
    const record = await world.reaches("m1", "responded");
    expect(record).toMatchObject({ attempts: 2 });
    expect(world.prompts("m1")).toHaveLength(2);
    expect(new Set(world.prompts("m1").map((prompt) => prompt.id)).size).toBe(2);
    expect(await world.history("m1")).toEqual(
      expect.arrayContaining(["unanswered", "retry_scheduled", "submit", "proven"]),
    );
  });
});

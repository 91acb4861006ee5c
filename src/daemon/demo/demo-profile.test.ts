import { expect, test } from "vitest";
import { startWorld } from "../../../test/support/daemon/waybill.ts";
import { isOutstanding } from "../../core/delivery/record.ts";
import { demoLaneScripts, demoLanes, demoPolicy, withoutOpencode } from "./demo-profile.ts";

const messages = ["first", "second", "third"];

/** Takes each message to its end, with a restart after it. */
async function outcomes(lane: string) {
  const lanes = demoLanes("/nowhere").map((lane) => withoutOpencode(lane));
  const scripts = { demo: demoLaneScripts.demo.script, sleepy: demoLaneScripts.sleepy.script };
  const world = await startWorld({ scripts, lanes, policy: demoPolicy });
  const found = [];
  for (const id of messages) {
    await world.send({ id, to: { lane } });
    const delivery = () => world.delivery(id, lane);
    await world.clock.until(
      async () => /^(responded|failed)/.test((await delivery()).status) && !isOutstanding(await delivery()),
    );
    const { status, attempts } = await delivery();
    found.push([status, attempts]);
    await world.stop();
    await world.start();
  }
  return found;
}

test("without OpenCode the demo agent still answers, even after restarts", async () => {
  expect(await outcomes("demo")).toEqual(messages.map(() => ["responded", 1]));
});

test("the sleepy agent is silent at first and answers the retry for every message", async () => {
  expect(await outcomes("sleepy")).toEqual(messages.map(() => ["responded", 2]));
});

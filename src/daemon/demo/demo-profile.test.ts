import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startWorld } from "../../../test/support/waybill.ts";
import { isOutstanding } from "../../core/delivery/record.ts";
import { onStub } from "../wiring/create-runtimes.ts";
import { demoLaneScripts, demoLanes, demoPolicy } from "./demo-profile.ts";

const messages = ["first", "second", "third"];

/** Each message to its end, with a restart behind it. */
async function outcomes(lane: string) {
  const lanes = demoLanes("/nowhere").map(onStub);
  const world = await startWorld({ scripts: demoLaneScripts, lanes, policy: demoPolicy });
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

test("where OpenCode is not installed the demo agent answers all the same, after restarts too", async () => {
  expect(await outcomes("demo")).toEqual(messages.map(() => ["responded", 1]));
});

test("the sleepy agent is silent at first and answers the retry, for every message", async () => {
  expect(await outcomes("sleepy")).toEqual(messages.map(() => ["responded", 2]));
});

test("the demo works where its home leads to, though nothing of it is there yet", () => {
  const place = realpathSync(mkdtempSync(join(tmpdir(), "waybill-demo-home-")));
  onTestFinished(() => rmSync(place, { recursive: true }));
  mkdirSync(join(place, "real"));
  symlinkSync(join(place, "real"), join(place, "link"));
  const directories = demoLanes(join(place, "link", "waybill")).map(({ directory }) => directory);
  expect(new Set(directories)).toEqual(new Set([join(place, "real", "waybill", "demo", "work")]));
});

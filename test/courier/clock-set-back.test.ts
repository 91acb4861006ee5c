/** The clock was an hour ahead and is corrected between two runs. */
import { expect, test } from "vitest";
import type { World } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const silent = { steps: [] };
const answers = { steps: [{ say: "Done, 1." }] };

async function setRightAndRestart(world: World): Promise<void> {
  await world.stop();
  world.clock.setBack(hour);
  await world.start();
}

/** The times at which things would happen if the clock had always been right. */
const within = (world: World, ms: number, done: () => boolean | Promise<boolean>) => world.clock.until(done, ms);
const isResponded = (world: World) => async () => (await world.delivery("m1")).status === "responded";

test("a retry scheduled by the wrong clock is made on time", async () => {
  const world = await startWorld({ script: { turns: [silent, answers] } });
  await world.send({ id: "m1" });
  await world.reaches("m1", "retry_scheduled");
  await setRightAndRestart(world);
  await within(world, 4 * minute, isResponded(world));
  expect(await world.history("m1")).toContain("rescheduled");
});

test("a prompt sent by the wrong clock and lost is sent again after its grace time", async () => {
  const world = await startWorld({ script: { turns: [{ arrival: "lost" }, answers], hints: false } });
  await world.send({ id: "m1" });
  await setRightAndRestart(world);
  await within(world, 3 * minute, isResponded(world));
  expect(await world.delivery("m1")).toMatchObject({ attempts: 1, attemptList: [{ sends: 2 }] });
});

test("late proof is looked for on time", async () => {
  const world = await startWorld({ policy: { maxAttempts: 1 }, script: { turns: [silent] } });
  await world.send({ id: "m1" });
  await world.reaches("m1", "failed_terminal");
  await setRightAndRestart(world);
  const startedAt = world.clock.now();
  expect((await world.delivery("m1")).nextReconcileAt).toBe(startedAt + 30 * minute);
  await within(world, 31 * minute, async () => (await world.history("m1")).at(-1) === "reconciled");
});

test("files that an answer names are checked for no longer than usual", async () => {
  const world = await startWorld({
    policy: { followUpMissingFiles: true },
    script: { turns: [{ steps: [{ say: "I wrote it to nowhere/report.txt." }] }, answers] },
  });
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await setRightAndRestart(world);
  await within(world, 2 * minute, () => world.prompts().length === 2);
  expect((await world.delivery("m1")).diagnostics).toEqual(["claimed_file_missing:nowhere/report.txt"]);
});

test("an alert counts from the start if its subject seems to be in the future", async () => {
  const alerts = { askMs: minute, failureMs: 10 * minute, lateMs: 5 * minute };
  const world = await startWorld({ alerts, script: { turns: [{ steps: [{ ask: "question" }] }] } });
  await world.send({ id: "m1" });
  await world.reaches("m1", "accepted");
  await setRightAndRestart(world);
  await within(world, 6 * minute, () => world.alerts.some(({ kind }) => kind === "late"));
});

test("an expiry that the sender set stays", async () => {
  const world = await startWorld({ script: { turns: [silent] } });
  await world.send({ id: "m1" });
  const expiresAt = world.clock.now() + 3 * hour;
  await world.send({ id: "m2", expiresAt });
  await setRightAndRestart(world);
  expect(await world.delivery("m2")).toMatchObject({ status: "pending", nextReconcileAt: expiresAt });
});

test("a start with a correct clock changes no times", async () => {
  const world = await startWorld({ script: { turns: [silent, answers] } });
  await world.send({ id: "m1" });
  await world.reaches("m1", "retry_scheduled");
  const { nextReconcileAt } = await world.delivery("m1");
  await world.stop();
  await world.start();
  expect(await world.delivery("m1")).toMatchObject({ status: "retry_scheduled", nextReconcileAt });
  expect(await world.history("m1")).not.toContain("rescheduled");
});

/** Files that go with a message: every prompt that repeats the message includes them, or the delivery fails. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

let world: World;
const run = async (options: WorldOptions) => {
  world = await startWorld(options);
};
const aFile = () =>
  world.waybill.attachments.store({ name: "a.txt", mimeType: "text/plain", bytes: Buffer.from("hello") });

test("a message whose attachment is missing fails with a reason, and can be retried once it is back", async () => {
  await run({ lanes: [{ runtime: "elsewhere" }], script: { always: [{ steps: [{ say: "Seen, 1." }] }] } });
  await world.send({ id: "m1", attachments: [await aFile()] });
  rmSync(join(world.directory, "attachments"), { recursive: true });
  await world.waybill.store.changeLane("lane", { runtime: "stub" });
  await world.waybill.courier.moveLane("lane");
  const failed = await world.reaches("m1", "failed_terminal");
  expect(failed).toMatchObject({ lastReason: "attachment_unknown: a.txt", attempts: 0 });
  expect(world.prompts()).toEqual([]);
  await aFile();
  await world.waybill.interventions.retry(failed.id, "user");
  await world.reaches("m1", "responded");
  expect(world.prompts()).toMatchObject([{ files: [{ name: "a.txt", size: 5 }] }]);
});

test("a retry includes the attachments again, and a request for a summary does not", async () => {
  const [silent, work] = [{ steps: [] }, { steps: [{ tool: "write" }] }];
  await run({ script: { turns: [silent, work, { when: "few sentences", steps: [{ say: "Renamed 3 files." }] }] } });
  await world.send({ id: "m1", text: "Rename them.", actionMode: "do", attachments: [await aFile()] });
  await world.clock.until(async () => world.prompts().length === 3);
  const file = { name: "a.txt", size: 5 };
  expect(world.prompts().map(({ files }) => files)).toEqual([[file], [file], []]);
});

test("the agent sees the name and the size of a file below the message, which is unchanged", async () => {
  await run({ script: { always: [{ steps: [{ say: "Seen, 1." }] }] } });
  await world.send({ id: "m1", text: "Look.", attachments: [await aFile()] });
  const { runtimeSessionId } = await world.reaches("m1", "responded");
  const lane = await world.waybill.store.lane("lane");
  if (!lane || runtimeSessionId === null) throw new Error("no session");
  const { rows } = await world.stub.read(lane, runtimeSessionId, null);
  expect(rows[0]?.text).toBe("Look.\n[file a.txt, 5 bytes]");
  expect(world.prompts()).toMatchObject([{ text: "Look.", files: [{ name: "a.txt", size: 5 }] }]);
});

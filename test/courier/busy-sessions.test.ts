import { expect, test } from "vitest";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

const minute = 60_000;
const answersTea = { when: "tea", steps: [{ say: "Earl Grey, 3 minutes." }] };
const hangs = { when: "milk", steps: [{ say: "Hm" }, { hang: true as const }] };
const answersMilk = { when: "milk", steps: [{ say: "A little, 20 ml." }] };

/** A world whose agent accepts aborts and does not stop. */
async function startUnstoppable(options: WorldOptions): Promise<{ world: World; aborts: string[] }> {
  const world = await startWorld(options);
  const aborts: string[] = [];
  world.stub.abort = async (_lane, sessionId) => void aborts.push(sessionId);
  return { world, aborts };
}

async function laneOf(world: World) {
  const lane = await world.waybill.store.lane("lane");
  if (!lane) throw new Error("no lane");
  return lane;
}

/** The error is reported once, and nothing else went wrong. */
function expectLeftBusy(world: World, sessionId: string | undefined): void {
  const left = world.errors.splice(0);
  expect(left).toMatchObject([{ code: "session_left_busy" }]);
  expect(String(left[0])).toContain(sessionId);
}

test("a session that stays busy after two aborts is abandoned, and its message goes to a fresh one with the digest", async () => {
  const { world, aborts } = await startUnstoppable({ script: { turns: [answersTea, hangs, answersMilk] } });
  await world.send({ id: "m1", text: "tea?" });
  await world.reaches("m1", "responded");
  await world.send({ id: "m2", text: "milk?" });
  const record = await world.reaches("m2", "responded");
  const [old, fresh] = record.attemptList;
  expect(aborts).toEqual([old?.sessionId, old?.sessionId]);
  expect(record).toMatchObject({ attempts: 1, repairs: 1 });
  expect(fresh?.generation).toBe(2);
  expect(world.prompts().at(-1)?.text).toMatch(/earlier session.*Earl Grey.*milk\?/s);
  expect(await world.stub.read(await laneOf(world), old?.sessionId ?? "", null)).toMatchObject({ status: "busy" });
  expect((await world.mail()).map(({ text }) => text)).toEqual(["Earl Grey, 3 minutes.", "A little, 20 ml."]);
  expectLeftBusy(world, old?.sessionId);
});

test("a session kept busy by somebody else's turn that no abort stops does not block messages forever", async () => {
  const theirs = { when: "theirs", steps: [{ hang: true as const }] };
  const { world, aborts } = await startUnstoppable({ script: { turns: [answersTea, theirs, answersMilk] } });
  await world.send({ id: "m1", text: "tea?" });
  await world.reaches("m1", "responded");
  const lane = await laneOf(world);
  const sessionId = lane.sessionId ?? "";
  const prompt = { messageId: "theirs", partId: "p", sessionId, text: "theirs", attachments: [] };
  await world.stub.submit(lane, prompt, new AbortController().signal);
  await world.send({ id: "m2", text: "milk?" });
  await world.clock.advance(14 * minute);
  expect(aborts).toEqual([]);
  const record = await world.reaches("m2", "responded");
  expect(aborts).toEqual([sessionId, sessionId]);
  expect(record).toMatchObject({ attempts: 1, repairs: 0, attemptList: [{ generation: 2 }] });
  expectLeftBusy(world, sessionId);
});

test("an abort that fails counts as one that did not help", async () => {
  const { world } = await startUnstoppable({ script: { turns: [hangs, answersMilk] } });
  world.stub.abort = () => Promise.reject(new Error("no answer to the abort"));
  await world.send({ id: "m1", text: "milk?" });
  await world.reaches("m1", "responded");
  expect(world.errors.splice(0).map((error) => (error as Error).message)).toEqual([
    "no answer to the abort",
    "no answer to the abort",
    expect.stringContaining("stays busy after two aborts"),
  ]);
});

test("a cancelled turn that no abort stops releases its lane in the end", async () => {
  const { world } = await startUnstoppable({ script: { turns: [hangs, answersTea] } });
  await world.send({ id: "m1", text: "milk?" });
  await world.reaches("m1", "accepted");
  const { id, attemptList } = await world.delivery("m1");
  await world.waybill.interventions.cancel(id, "user");
  await world.send({ id: "m2", text: "tea?" });
  await world.reaches("m2", "responded");
  expect(await world.delivery("m1")).toMatchObject({ status: "cancelled", diagnostics: ["turn_left_running"] });
  expectLeftBusy(world, attemptList[0]?.sessionId);
});

test("a session that stops at the second abort is replaced as usual", async () => {
  const { world, aborts } = await startUnstoppable({ script: { turns: [hangs, answersMilk] } });
  const { abort } = Object.getPrototypeOf(world.stub);
  world.stub.abort = async (lane, sessionId) => {
    aborts.push(sessionId);
    if (aborts.length === 2) await abort.call(world.stub, lane, sessionId);
  };
  await world.send({ id: "m1", text: "milk?" });
  const { attemptList } = await world.reaches("m1", "responded");
  expect(aborts).toHaveLength(2);
  const old = attemptList[0]?.sessionId ?? "";
  expect(await world.stub.read(await laneOf(world), old, null)).toMatchObject({ status: "idle" });
});

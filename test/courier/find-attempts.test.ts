/** Messages that are older than the store: their prompts are looked for in all sessions of the lane's directory. */
import { rmSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { defaultPolicy } from "../../src/core/delivery/policy.ts";
import type { DeliveryRecord } from "../../src/core/delivery/record.ts";
import type { Lane } from "../../src/core/lane/lane.ts";
import { dayOf } from "../../src/core/lane/lane.ts";
import { findAttemptsInDirectory } from "../../src/courier/find-attempts.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

let world: World;
let startedAt = 0;
const run = async (options: WorldOptions) => {
  world = await startWorld(options);
  startedAt = world.clock.now();
};

const minute = 60_000;
const soon = AbortSignal.timeout(60_000);

async function loseStore(): Promise<void> {
  await world.stop();
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${world.storePath}${ending}`, { force: true });
  await world.start();
}

async function theLane(id = "lane"): Promise<Lane> {
  const lane = await world.waybill.store.lane(id);
  if (!lane) throw new Error(`no lane ${id}`);
  return lane;
}

/** The message in a mailbox that outlived the store: with its own time, and not sent by this store. */
async function admitAgain(id: string, text = id, to = "lane"): Promise<DeliveryRecord> {
  await world.waybill.interventions.pause(to, "for the search");
  return { ...(await world.send({ id, text, to: { lane: to } })), messageTimestamp: startedAt };
}

async function find(record: DeliveryRecord, runtime: Runtime = world.stub) {
  const { store } = world.waybill;
  const lane = await theLane(record.laneId);
  const { signal: closing } = new AbortController();
  return findAttemptsInDirectory(record, { lane, runtime, store, policy: defaultPolicy, clock: world.clock, closing });
}

/** Continues with the found attempts, as the courier does. */
async function goOnWith(record: DeliveryRecord): Promise<DeliveryRecord> {
  const found = await find(record);
  if (found === "unreadable") throw new Error("the stub lists its sessions");
  const at = world.clock.now();
  const event = { type: "attempts_searched", at, found, runtimeKind: "stub", reconcileAt: at } as const;
  await world.waybill.ledger.commit(record.id, [event]);
  await world.waybill.interventions.resume(record.laneId);
  return world.reaches(record.messageId, "responded");
}

/** The stub with some methods replaced. */
function otherwise(replaced: Partial<Runtime>): Runtime {
  const { stub } = world;
  const own = { sessionsIn: stub.sessionsIn.bind(stub), read: stub.read.bind(stub) };
  return Object.assign(Object.create(stub) as Runtime, own, replaced);
}

/** A prompt by somebody else in their own session. */
async function promptElsewhere(id: string, text: string, directory = "/tmp"): Promise<string> {
  const lane = { ...(await theLane()), directory };
  const sessionId = await world.stub.openSession(lane);
  await world.stub.submit(lane, { messageId: id, partId: id, sessionId, text, attachments: [] }, soon);
  await world.clock.advance(1000);
  return sessionId;
}

const answers = { always: [{ steps: [{ say: "Done, 3 files." }] }] };

describe("a message that was prompted before the store was lost", () => {
  test("is found in a session that the new store does not know, and answered without a second prompt", async () => {
    await run({ script: { turns: [{ steps: [{ wait: 5 * minute }, { say: "Done, 3 files." }] }] } });
    const { attemptList } = await world.send({ id: "m1" }).then(() => world.reaches("m1", "accepted"));
    await loseStore();
    const record = await admitAgain("m1");
    const sent = {
      number: 1,
      generation: 1,
      sessionId: attemptList[0]?.sessionId,
      messageId: attemptList[0]?.messageId,
    };
    expect(await find(record)).toMatchObject([sent]);
    expect(await goOnWith(record)).toMatchObject({ attempts: 1, runtimeSessionId: sent.sessionId });
    expect(world.prompts()).toHaveLength(1);
    expect(await world.mail()).toMatchObject([{ text: "Done, 3 files." }]);
  });

  test("is found in a later session of the lane, by each of its attempts", async () => {
    await run({ script: { turns: [{ when: "m1" }, { when: "m1", steps: [{ say: "Two, 2." }] }], ...answers } });
    await world.send({ id: "m0" });
    const { runtimeSessionId } = await world.reaches("m0", "responded");
    world.stub.endSession(runtimeSessionId ?? "");
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    const [, ...prompts] = world.prompts();
    await loseStore();
    const found = await find(await admitAgain("m1"));
    expect(found).toMatchObject(prompts.map(({ id, session }) => ({ messageId: id, sessionId: session })));
    expect(found).toMatchObject([
      { number: 1, generation: 2 },
      { number: 2, generation: 2 },
    ]);
  });

  test("is found next to messages that the new store has already sent", async () => {
    await run({ script: answers });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await loseStore();
    await world.send({ id: "m2" });
    const { runtimeSessionId } = await world.reaches("m2", "responded");
    const [before] = world.prompts();
    expect(before?.session).not.toBe(runtimeSessionId);
    expect(await find(await admitAgain("m1"))).toMatchObject([{ messageId: before?.id, sessionId: before?.session }]);
    const [again] = await world.waybill.store.sessions("lane");
    expect(await find(await world.delivery("m2"))).toMatchObject([{ sessionId: again?.sessionId }]);
  });

  test("is not taken for one that was prompted in another lane of the same directory", async () => {
    await run({ lanes: [{ id: "lane" }, { id: "other" }], script: answers });
    await world.send({ id: "m1", to: { lane: "other" } });
    await world.clock.advance(minute);
    expect(await find(await admitAgain("m1"))).toEqual([]);
    await loseStore();
    expect(await find(await admitAgain("m1"))).toEqual([]);
    expect(await find(await admitAgain("m1", "m1", "other"))).toHaveLength(1);
  });
});

describe("a message prompted by somebody else", () => {
  test("is found by its text, and answered without a second prompt", async () => {
    await run({ script: answers });
    const sessionId = await promptElsewhere("msg_theirs", "Count the files.");
    const record = await admitAgain("m1", "Count the files.");
    expect(await find(record)).toMatchObject([{ number: 1, messageId: "msg_theirs", sessionId }]);
    expect(await goOnWith(record)).toMatchObject({ attempts: 1, deliveredUserMessageId: "msg_theirs" });
    expect(world.prompts()).toHaveLength(1);
  });

  test("in another directory is not found", async () => {
    await run({ script: answers });
    await promptElsewhere("msg_theirs", "Count the files.", "/elsewhere");
    expect(await find(await admitAgain("m1", "Count the files."))).toEqual([]);
  });

  test("does not count against the lane's limits", async () => {
    await run({ script: { always: [{ steps: [{ uses: { tokens: 500, cost: 1 } }, { say: "Done, 3 files." }] }] } });
    await promptElsewhere("msg_theirs", "Something else.");
    expect(await find(await admitAgain("m1"))).toEqual([]);
    expect(await world.waybill.store.usageOf("lane", dayOf(world.clock.now()))).toMatchObject({ tokens: 0 });
  });
});

describe("sessions", () => {
  test("that are older than the message are not read, and the others once each, newest first", async () => {
    await run({ script: answers });
    await promptElsewhere("msg_old", "Older.");
    await world.clock.advance(10 * minute);
    startedAt = world.clock.now();
    const [one, two] = [await promptElsewhere("msg_1", "One."), await promptElsewhere("msg_2", "Two.")];
    const reads: string[] = [];
    const read: Runtime["read"] = (lane, sessionId, limit) => {
      reads.push(sessionId);
      return world.stub.read(lane, sessionId, limit);
    };
    expect(await find(await admitAgain("m1"), otherwise({ read }))).toEqual([]);
    expect(reads).toEqual([two, one]);
  });

  test("that a program cannot list make the message unreadable, and nothing is read", async () => {
    await run({ script: answers });
    const read = () => Promise.reject(new Error("not asked for"));
    expect(await find(await admitAgain("m1"), otherwise({ sessionsIn: undefined as never, read }))).toBe("unreadable");
  });

  test.each(["sessionsIn", "read"] as const)("that are currently unavailable (%s) are an error", async (method) => {
    await run({ script: answers });
    await promptElsewhere("msg_theirs", "Something else.");
    const failing = otherwise({ [method]: () => Promise.reject(new Error("not now")) });
    await expect(find(await admitAgain("m1"), failing)).rejects.toThrow("not now");
  });

  test("of a program that takes no ids are searched for the marker", async () => {
    await run({ script: answers });
    const sessionId = await promptElsewhere("pi-1", "[waybill message m1 from user]\n\nCount the files.");
    await promptElsewhere("pi-2", "Count the files.");
    const traits = { ...world.stub.traits, takesIds: false };
    expect(await find(await admitAgain("m1", "Count the files."), otherwise({ traits }))).toMatchObject([
      { number: 1, sessionId },
    ]);
  });
});

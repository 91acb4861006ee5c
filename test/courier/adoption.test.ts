/**
 * A lane that continues in a session which its agent already had: it applies from the next message on, and earlier
 * turns do not count.
 */
import { describe, expect, test } from "vitest";
import type { Lane } from "../../src/core/lane/lane.ts";
import { dayOf } from "../../src/core/lane/lane.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import { settled } from "../support/core/manual-clock.ts";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

const script = {
  turns: [{ when: "by a person", steps: [{ uses: { tokens: 70, cost: 1 } }, { say: "SignalBody to a person: 1." }] }],
  always: [{ steps: [{ uses: { tokens: 5, cost: 0 } }, { say: "SignalBody to Waybill: 2." }] }],
};

/** A world, and a session of its lane that only the agent knows. */
async function withSession(options: WorldOptions = { script }) {
  const world = await startWorld(options);
  const lane = (await world.waybill.store.lane("lane")) as Lane;
  const session = await world.stub.openSession(lane);
  const adopt = (sessionId = session, laneId = "lane") => world.waybill.interventions.adopt(laneId, sessionId);
  return { world, lane, session, adopt };
}

/** Somebody's own prompt, outside Waybill. */
async function prompt(world: World, lane: Lane, sessionId: string, text: string): Promise<void> {
  const ids = { messageId: "msg_person", partId: "prt_person" };
  await world.stub.submit(lane, { ...ids, sessionId, text, attachments: [] }, new AbortController().signal);
  await settled();
}

const refused = (code: string) => expect.objectContaining({ code });
const today = (world: World) => world.waybill.store.usageOf("lane", dayOf(world.clock.now()));

describe("an adopted session", () => {
  test("is the lane's next generation, from the next message on", async () => {
    const { world, session, adopt } = await withSession();
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await adopt();
    expect(await world.waybill.store.lane("lane")).toMatchObject({ sessionId: session, generation: 2 });
    await world.send({ id: "m2" });
    expect(await world.reaches("m2", "responded")).toMatchObject({ runtimeSessionId: session, attempts: 1 });
    expect((await world.delivery("m1")).runtimeSessionId).not.toBe(session);
  });

  test("has earlier turns that answer nothing and do not count against the lane's limits", async () => {
    const { world, lane, session, adopt } = await withSession();
    await prompt(world, lane, session, "asked by a person");
    await world.clock.until(async () => (await world.stub.read(lane, session, null)).status === "idle");
    await adopt();
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    expect((await world.mail()).map((mail) => mail.text)).toEqual(["SignalBody to Waybill: 2."]);
    expect(world.prompts("m1").map((one) => one.text)).toEqual(["m1"]);
    expect(await today(world)).toMatchObject({ tokens: 5, cost: 0 });
  });

  test("that is busy is waited for, and its turn is neither joined nor taken for an answer", async () => {
    const busy = { ...script, turns: [{ when: "by a person", steps: [{ wait: 5_000 }, { say: "Late: 1." }] }] };
    const { world, lane, session, adopt } = await withSession({ script: busy });
    await prompt(world, lane, session, "asked by a person");
    await adopt();
    await world.send({ id: "m1" });
    expect(world.waybill.courier.waitReason("lane")).toBe("session_busy");
    expect(world.prompts("m1")).toEqual([]);
    await world.reaches("m1", "responded");
    expect((await world.mail()).map((mail) => mail.text)).toEqual(["SignalBody to Waybill: 2."]);
  });

  test("that is already the lane's own stays as it is", async () => {
    const { world, adopt } = await withSession();
    await adopt();
    await adopt();
    expect(await world.waybill.store.lane("lane")).toMatchObject({ generation: 1 });
  });

  test("frees a message that waited for the previous session", async () => {
    const hangs = { turns: [{ when: "by a person", steps: [{ hang: true as const }] }], always: script.always };
    const { world, lane, session, adopt } = await withSession({ script: hangs });
    await adopt();
    await prompt(world, lane, session, "asked by a person");
    await world.send({ id: "m1" });
    expect(world.waybill.courier.waitReason("lane")).toBe("session_busy");
    await adopt(await world.stub.openSession(lane));
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1, attemptList: [{ generation: 2 }] });
  });
});

describe("a session is not adopted", () => {
  test("while a delivery holds the lane", async () => {
    const { world, session, adopt } = await withSession({ script: { always: [{ steps: [{ hang: true }] }] } });
    await world.send({ id: "m1" });
    await expect(adopt()).rejects.toEqual(refused("lane_in_use"));
    const { runtimeSessionId } = await world.delivery("m1");
    expect(await world.waybill.store.lane("lane")).toMatchObject({ sessionId: runtimeSessionId, generation: 1 });
    await world.waybill.interventions.stop("lane", "user");
    await world.reaches("m1", "cancelled");
    await world.clock.until(async () => (await world.waybill.store.outstanding("lane")) === null);
    await adopt();
    expect(await world.waybill.store.lane("lane")).toMatchObject({ sessionId: session, generation: 2 });
  });

  test("when the agent program does not know it, or it was opened for another lane", async () => {
    const { world, adopt, session } = await withSession({ script, lanes: [{}, { id: "other" }] });
    await expect(adopt("ses_nowhere")).rejects.toEqual(refused("session_unknown"));
    await expect(adopt(session, "other")).rejects.toEqual(refused("session_unknown"));
    await expect(adopt(session, "nowhere")).rejects.toEqual(refused("lane_unknown"));
    expect(await world.waybill.store.sessions("lane")).toEqual([]);
  });

  test("by a runtime that cannot adopt, or is not running", async () => {
    const { world, adopt } = await withSession({
      script,
      lanes: [{}, { id: "fixed", runtime: "fixed" }, { id: "gone", runtime: "gone" }],
    });
    (world.waybill.runtimes as Map<string, Runtime>).set("fixed", { kind: "fixed" } as Runtime);
    await expect(adopt("ses_1", "fixed")).rejects.toEqual(refused("not_possible"));
    await expect(adopt("ses_1", "gone")).rejects.toEqual(refused("runtime_unavailable"));
  });
});

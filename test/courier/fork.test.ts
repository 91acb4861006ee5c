/** A lane that continues from what another lane's agent knows: both continue, and neither sees the other. */
import { describe, expect, test } from "vitest";
import type { Lane } from "../../src/core/lane/lane.ts";
import { dayOf } from "../../src/core/lane/lane.ts";
import type { UniversalEvent } from "../../src/core/turn/universal-event.ts";
import { universalEventTypes } from "../../src/core/turn/universal-event.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import type { World, WorldOptions } from "../support/daemon/waybill.ts";
import { aLane, startWorld } from "../support/daemon/waybill.ts";

const working = { steps: [{ uses: { tokens: 5, cost: 0 } }, { tool: "bash", output: "3 files" }, { say: "Done: 3." }] };

async function played(options: WorldOptions = { script: { always: [working] } }): Promise<World> {
  const world = await startWorld(options);
  for (const id of ["m1", "m2"]) await answered(world, id);
  return world;
}

async function answered(world: World, id: string, lane = "lane"): Promise<void> {
  await world.waybill.admission.admit({ id, to: { lane }, from: "user", text: id });
  await world.clock.until(async () => (await world.waybill.store.deliveryOf(lane, id))?.status === "responded");
  await world.clock.until(async () => (await world.waybill.store.outstanding(lane)) === null);
  await world.clock.advance(1000);
}

const fork = (world: World, before: number | null = null, lane = "lane") =>
  world.waybill.interventions.fork(lane, before, aLane({ id: "copy" }));
const refused = (code: string) => expect.objectContaining({ code });

async function kept(world: World, lane: string): Promise<UniversalEvent[]> {
  const { items } = await world.waybill.store.readLog({ lane, types: universalEventTypes, limit: 1000 });
  return items.flatMap((item) => (item.type === "event" ? [item.event] : []));
}

/** The messages, their authors, and the ledger's notes. */
const itemsIn = (events: readonly UniversalEvent[]) =>
  events.flatMap(({ type, data, turn }) =>
    type === "item.completed" ? [[turn, data.item.kind, data.item.role, data.item.name, data.item.parts.length]] : [],
  );
const admissionOf = (events: readonly UniversalEvent[], id: string) =>
  events.find(({ type, data }) => type === "item.started" && data.item.id === `delivery:${id}`)?.seq ?? 0;

describe("a forked lane", () => {
  test("shows the same as the other one, waits for nothing, and has used nothing", async () => {
    const world = await played();
    const copy = await fork(world);
    const { store } = world.waybill;
    const [old, made] = [await store.lane("lane"), await store.lane("copy")];
    expect(made).toEqual(copy);
    expect(copy).toMatchObject({
      generation: 1,
      pausedReason: null,
      sessionId: expect.not.stringContaining(old?.sessionId ?? ""),
    });
    const events = await kept(world, "copy");
    expect(itemsIn(events)).toEqual(itemsIn(await kept(world, "lane")));
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    expect(new Set(events.map(({ session }) => session))).toEqual(new Set([copy.sessionId]));
    expect([await store.waiting("copy"), await store.outstanding("copy"), await store.lanesInTurn()]).toEqual([
      0,
      null,
      [],
    ]);
    await world.stub.read(copy, copy.sessionId ?? "", null);
    expect(await store.usageOf("copy", dayOf(world.clock.now()))).toMatchObject({ tokens: 0 });
  });

  test("continues from there, and so does the other one", async () => {
    const world = await played();
    const copy = await fork(world);
    await answered(world, "m3", "copy");
    await answered(world, "m4");
    const turns = (events: readonly UniversalEvent[]) =>
      events.filter(({ type }) => type === "turn.ended").map(({ turn }) => turn);
    expect(turns(await kept(world, "copy"))).toEqual([1, 2, 3]);
    expect(turns(await kept(world, "lane"))).toEqual([1, 2, 3]);
    const prompts = async (lane: Lane | null) =>
      (await world.stub.read(lane as Lane, lane?.sessionId ?? "", null)).rows.flatMap(({ role, text }) =>
        role === "user" ? [text] : [],
      );
    expect(await prompts(copy)).toEqual(["m1", "m2", "m3"]);
    expect(await prompts(await world.waybill.store.lane("lane"))).toEqual(["m1", "m2", "m4"]);
    expect(await world.waybill.store.usageOf("copy", dayOf(world.clock.now()))).toMatchObject({ tokens: 5 });
    expect(world.errors).toEqual([]);
  });

  test("does not know the message that it was forked before, or later ones", async () => {
    const world = await played();
    const events = await kept(world, "lane");
    const copy = await fork(world, admissionOf(events, "m2"));
    expect(itemsIn(await kept(world, "copy"))).toEqual(itemsIn(events.slice(0, admissionOf(events, "m2") - 1)));
    const { rows } = await world.stub.read(copy, copy.sessionId ?? "", null);
    expect(rows.flatMap(({ role, text }) => (role === "user" ? [text] : []))).toEqual(["m1"]);
  });

  test("is the same after a restart, and repeats no events", async () => {
    const world = await played();
    const copy = await fork(world);
    const events = await kept(world, "copy");
    await world.stop();
    await world.start();
    await world.stub.resync(copy, copy.sessionId ?? "");
    await world.clock.advance(1000);
    expect(await kept(world, "copy")).toEqual(events);
  });

  test("of an empty lane has no session either", async () => {
    const world = await startWorld();
    expect(await fork(world)).toMatchObject({ sessionId: null, generation: 0 });
    expect(await kept(world, "copy")).toEqual([]);
  });

  test("is published in the log, in order with everything else", async () => {
    const world = await played({ script: { always: [working] }, lanes: [{}, { id: "other" }] });
    const told: (string | null)[] = [];
    const { store } = world.waybill;
    const after = store.logEnd();
    store.onLog((items) => told.push(...items.map(({ cursor }) => cursor)));
    const sending = world.waybill.admission.admit({ id: "m3", to: { lane: "other" }, from: "user", text: "m3" });
    await Promise.all([fork(world), sending]);
    await answered(world, "m4");
    const { items } = await store.readLog({ after, limit: 1000 });
    expect(items.some(({ type, laneId }) => type === "event" && laneId === "copy")).toBe(true);
    expect(told.filter((cursor) => cursor !== null)).toEqual(items.map(({ cursor }) => cursor));
  });
});

describe("a lane is not forked", () => {
  const nothingWasMade = async (world: World) => expect(await world.waybill.store.lane("copy")).toBeNull();

  test("while a delivery holds it", async () => {
    const world = await startWorld({ script: { always: [{ steps: [{ hang: true }] }] } });
    await world.send({ id: "m1" });
    await expect(fork(world)).rejects.toEqual(refused("lane_in_use"));
    await nothingWasMade(world);
  });

  test("while somebody else is working with its agent", async () => {
    const world = await played({ script: { turns: [{ when: "person", steps: [{ hang: true }] }], always: [working] } });
    const lane = (await world.waybill.store.lane("lane")) as Lane;
    const prompt = { messageId: "msg_person", partId: "prt_person", text: "a person", attachments: [] };
    await world.stub.submit(lane, { ...prompt, sessionId: lane.sessionId ?? "" }, new AbortController().signal);
    await expect(fork(world)).rejects.toEqual(refused("lane_in_use"));
    await nothingWasMade(world);
  });

  test("when its session no longer exists", async () => {
    const world = await played();
    world.stub.endSession((await world.waybill.store.lane("lane"))?.sessionId ?? "");
    await expect(fork(world)).rejects.toEqual(refused("not_possible"));
    await nothingWasMade(world);
  });

  test("before a prompt that the agent's session does not have", async () => {
    const world = await played();
    const lane = (await world.waybill.store.lane("lane")) as Lane;
    await world.waybill.interventions.adopt("lane", await world.stub.openSession(lane));
    const before = admissionOf(await kept(world, "lane"), "m2");
    await expect(fork(world, before)).rejects.toEqual(refused("message_unknown"));
    await nothingWasMade(world);
  });

  test("by a runtime that cannot fork, or is not running", async () => {
    const world = await startWorld({
      lanes: [
        { id: "fixed", runtime: "fixed" },
        { id: "gone", runtime: "gone" },
      ],
    });
    (world.waybill.runtimes as Map<string, Runtime>).set("fixed", { kind: "fixed" } as Runtime);
    for (const id of ["fixed", "gone"]) await world.waybill.store.openSession(id, `ses-${id}`, 0);
    await expect(fork(world, null, "fixed")).rejects.toEqual(refused("not_served"));
    await expect(fork(world, null, "gone")).rejects.toEqual(refused("runtime_unavailable"));
    await expect(fork(world, null, "nowhere")).rejects.toEqual(refused("lane_unknown"));
    await nothingWasMade(world);
  });
});

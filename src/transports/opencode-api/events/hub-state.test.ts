/** Clients that connect without a cursor show the same as clients that were connected all the time. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { settled } from "../../../../test/support/core/manual-clock.ts";
import type { Shown } from "../../../../test/support/core/shown-state.ts";
import { propertiesOf, shownBy } from "../../../../test/support/core/shown-state.ts";
import { serviceOf } from "../../../../test/support/daemon/service-of.ts";
import { aLane, startWorld, World } from "../../../../test/support/daemon/waybill.ts";
import { aClient, aHub } from "../../../../test/support/opencode/hub-client.ts";
import type { SseFrame } from "./frames.ts";

const types = (lines: readonly SseFrame[]) => lines.map(({ type }) => type);
const script = { always: [{ steps: [{ say: "Well." }] }] };

/** The late client shows its messages like the other one, and has all of the newest messages. */
function expectTheSame(late: Shown, whole: Shown): void {
  for (const [id, info] of late.messages) expect(info).toEqual(whole.messages.get(id));
  for (const [id, part] of late.parts) expect(withoutTimes(part)).toEqual(withoutTimes(whole.parts.get(id)));
  const known = [...whole.parts.values()].filter(({ messageID }) => late.messages.has(messageID));
  for (const { id } of known) expect([...late.parts.keys()]).toContain(id);
  const newest = [...whole.messages.keys()].at(-1);
  if (newest !== undefined) expect([...late.messages.keys()]).toContain(newest);
  expect(late.asks).toEqual(whole.asks);
  for (const [session, status] of whole.status) expect(late.status.get(session)).toEqual(status);
}

/** Times of text parts may differ: the hub saw the deltas, so it knows them better than the kept events do. */
function withoutTimes(part: object | undefined): object {
  const { time, ...rest } = { time: {}, ...part };
  return { ...rest, isOver: "end" in time };
}

const isIdle = (status: unknown) => JSON.stringify(status) === JSON.stringify({ type: "idle" });

const step = fc.oneof(
  fc.constantFrom({ say: "Something longer" }, { think: "Hm" }, { say: "More of it" }),
  fc.constantFrom({ tool: "read", output: "x" }, { tool: "bash", fails: true, takesMs: 40 }),
  fc.constantFrom({ ask: "permission" as const, title: "bash: ls" }, { ask: "question" as const, title: "Which?" }),
);
const turn = fc.array(step, { minLength: 1, maxLength: 4 }).map((steps) => ({ steps: [...steps, { say: "End." }] }));

test("a client that connects at any time shows the same as one that was always connected, and continues with it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(turn, { minLength: 1, maxLength: 3 }),
      fc.array(fc.constantFrom(1, 3, 7, 20), { minLength: 10, maxLength: 10 }),
      fc.boolean(),
      async (turns, times, restart) => {
        const world = new World({ script: { turns, always: [{ steps: [{ say: "Well." }] }] } });
        try {
          await world.start();
          const hub = aHub(world);
          const whole = await aClient(hub);
          const service = serviceOf(world.waybill);
          for (const [index] of turns.entries()) await world.send({ id: `m${index}` });
          const late = [];
          for (const ms of times) {
            await world.clock.advance(ms);
            const unheard = await aHub(world).busySessions();
            const client = await aClient(hub, { withSnapshot: true });
            late.push(client);
            expectTheSame(shownBy(client.seen), shownBy(whole.seen));
            const listed = (await hub.busySessions()).map(({ sessionID, status }) => [sessionID, status] as const);
            expect(listed).toEqual([...shownBy(client.seen).status].filter(([, status]) => !isIdle(status)));
            expect(unheard.map(({ sessionID }) => sessionID)).toEqual(listed.map(([sessionID]) => sessionID));
            const [ask] = await service.asks();
            if (ask && ms > 3) await service.answer(ask.id, { decision: "reject" });
          }
          while (shownBy(whole.seen).asks.size > 0 || types(whole.seen).at(-1) !== "session.idle") {
            await world.clock.advance(250);
            for (const { id } of await service.asks()) await service.answer(id, { decision: "reject" });
          }
          for (const client of late) expectTheSame(shownBy(client.seen), shownBy(whole.seen));
          if (!restart) return;
          await world.stop();
          await world.start();
          const again = await aClient(aHub(world), { withSnapshot: true });
          expectTheSame(shownBy(again.seen), shownBy(whole.seen));
        } finally {
          await world.dispose();
        }
      },
    ),
    { numRuns: 6 },
  );
  // Runs several complete worlds, one after the other.
});

test("listing the busy sessions reads no past of idle lanes", async () => {
  const scripts = { busy: { always: [{ steps: [{ hang: true as const }] }] } };
  const world = await startWorld({ lanes: [{}, { id: "busy" }], script, scripts });
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  await world.clock.advance(1000);
  await world.send({ id: "m2", to: { lane: "busy" } });
  await world.clock.advance(1000);
  const service = serviceOf(world.waybill);
  const read = new Set<string | undefined>();
  const deliveries: typeof service.deliveries = (filter) => {
    read.add(filter.lane);
    return service.deliveries(filter);
  };
  const working = await aHub(world, { service: { ...service, deliveries } }).busySessions();
  expect(working).toMatchObject([{ sessionID: "ses_busy", status: { type: "busy" } }]);
  expect([...read]).toEqual(["busy"]);
});

test.each(["keeps running", "is restarted"])(
  "a retried message keeps its session busy until it ends again, while the daemon %s",
  async (how) => {
    const answered = { steps: [{ wait: 60_000 }, { say: "Well, 3." }] };
    const world = await startWorld({ script: { turns: [{}, {}, {}, answered] } });
    const { id } = await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    let client = await aClient(aHub(world), { withSnapshot: true });
    const status = () => shownBy(client.seen).status.get("ses_lane");
    expect(status()).toEqual({ type: "idle" });
    await serviceOf(world.waybill).retry(id);
    await settled();
    expect(status()).toEqual({ type: "busy" });
    if (how === "is restarted") {
      await world.stop();
      await world.start();
      client = await aClient(aHub(world), { withSnapshot: true });
      expect(status()).toEqual({ type: "busy" });
    }
    await world.reaches("m1", "responded");
    await world.clock.advance(1000);
    expect(status()).toEqual({ type: "idle" });
  },
);

test("an open ask is sent to clients that connect later, and no longer once it is answered", async () => {
  const steps = [{ ask: "permission" as const, title: "bash: ls" }, { say: "Listed." }];
  const world = await startWorld({ script: { always: [{ steps }] } });
  await world.send({ id: "m1" });
  await world.clock.until(async () => (await world.waybill.asks.list()).length > 0);
  const hub = aHub(world);
  const client = await aClient(hub, { withSnapshot: true });
  expect(shownBy(client.seen).asks.size).toBe(1);
  expect(shownBy(client.seen).status.get("ses_lane")).toEqual({ type: "busy" });
  expect(types(client.seen).filter((type) => type.includes("delta"))).toEqual([]);
  await client.leave();
  const [ask] = await world.waybill.asks.list();
  await serviceOf(world.waybill).answer(ask?.id ?? "", { decision: "once" });
  await world.reaches("m1", "responded");
  await settled();
  const again = await aClient(hub, { withSnapshot: true });
  expect(types(again.seen)).toContain("permission.replied");
  expect([shownBy(again.seen).asks.size, shownBy(again.seen).status.get("ses_lane")]).toEqual([0, { type: "idle" }]);
});

test("a lane that has been idle for long is left out of the snapshot, and costs one read", async () => {
  const lanes = [{ id: "old" }, { id: "lane" }];
  const world = await startWorld({ script, lanes });
  await world.send({ id: "m0", to: { lane: "old" } });
  await world.clock.until(async () => (await world.delivery("m0", "old")).status === "responded");
  await world.clock.advance(11 * 60_000);
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  const service = serviceOf(world.waybill);
  const reads: string[] = [];
  const eventsBefore: typeof service.eventsBefore = (lane, seq, limit) => {
    if (lane === "old") reads.push(`${limit}`);
    return service.eventsBefore(lane, seq, limit);
  };
  const hub = aHub(world, { service: { ...service, eventsBefore } });
  for (let time = 0; time < 3; time++) {
    const { seen } = await aClient(hub, { withSnapshot: true });
    expect(shownBy(seen).sessions).toEqual(new Set(["ses_lane"]));
  }
  expect(reads).toEqual(["1"]);
});

test("only the last frame of a snapshot has an id, and a client that resumes there misses and repeats nothing", async () => {
  const world = await startWorld({ script });
  const hub = aHub(world);
  await world.send({ id: "m1" });
  await world.reaches("m1", "responded");
  const client = await aClient(hub, { withSnapshot: true });
  expect(client.seen.length).toBeGreaterThan(5);
  const ids = client.seen.map(({ plain }) => plain.startsWith("id: "));
  expect(ids).toEqual(client.seen.map((_, index) => index === client.seen.length - 1));
  await client.leave();
  const last = client.seen.at(-1)?.at ?? "";
  await world.send({ id: "m2" });
  await world.reaches("m2", "responded");
  await settled();
  const again = await aClient(hub, { after: last });
  const users = again.seen.filter((line) => line.type === "message.updated" && propertiesOf(line).info.role === "user");
  expect(users).toHaveLength(1);
});

test("a client of one directory gets a snapshot of only that directory", async () => {
  const lanes = [
    { id: "one", directory: "/tmp/one" },
    { id: "two", directory: "/tmp/two" },
  ];
  const world = await startWorld({ script, lanes });
  for (const { id } of lanes) await world.send({ id: `m-${id}`, to: { lane: id } });
  await world.clock.advance(5000);
  const { seen } = await aClient(aHub(world), { withSnapshot: true, directory: "/tmp/two" });
  expect([...shownBy(seen).sessions]).toEqual(["ses_two"]);
  expect(seen.at(-1)?.plain.startsWith("id: ")).toBe(true);
});

test("a session is created before its first event, and again when its lane is created again", async () => {
  const world = await startWorld({ script });
  const hub = aHub(world);
  const client = await aClient(hub);
  const service = serviceOf(world.waybill);
  for (const id of ["m1", "m2"]) {
    await world.waybill.store.putLane(aLane({ id: "new", directory: "/tmp/new", displayName: "New", createdAt: 5 }));
    await world.send({ id, to: { lane: "new" } });
    await world.clock.until(async () => (await world.delivery(id, "new")).status === "responded");
    await settled();
    await service.removeLane("new", true);
    await settled();
  }
  const ofSessions = client.seen.filter(({ type }) => type === "session.created" || type === "session.deleted");
  expect(types(ofSessions)).toEqual(["session.created", "session.deleted", "session.created", "session.deleted"]);
  expect(types(client.seen)[0]).toBe("session.created");
  const again = types(client.seen).slice(types(client.seen).indexOf("session.deleted") + 1);
  expect(again[0]).toBe("session.created");
  expect(propertiesOf(ofSessions[1] as SseFrame).info).toMatchObject({
    id: "ses_new",
    title: "New",
    directory: "/tmp/new",
  });
  const later = await aClient(hub, { after: ofSessions[2]?.at ?? "" });
  expect(propertiesOf(later.seen.at(-1) as SseFrame).info).toMatchObject({ id: "ses_new", title: "New" });
});

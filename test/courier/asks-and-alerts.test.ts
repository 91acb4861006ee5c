import { describe, expect, test } from "vitest";
import { settled } from "../support/manual-clock.ts";
import type { World } from "../support/waybill.ts";
import { startWorld } from "../support/waybill.ts";

const minute = 60_000;
const times = { askMs: 2 * minute, failureMs: 5 * minute, lateMs: 10 * minute };
const askingSteps = [{ ask: "permission" as const, title: "rm -rf build" }, { say: "Done." }];
const asking = { turns: [{ steps: askingSteps }] };
const silent = { always: [{ steps: [] }] };

const openAsks = (world: World) => world.waybill.asks.list();
const raised = (world: World) => world.alerts.map((alert) => [alert.kind, alert.messageId, alert.reason]);

async function blocked(world: World): Promise<string> {
  await world.send({ id: "m1" });
  await world.clock.until(() => openAsks(world).length > 0);
  return openAsks(world)[0]?.id ?? "";
}

describe("asks", () => {
  test("an ask is listed with the message that it holds up, and since when", async () => {
    const world = await startWorld({ script: asking });
    await blocked(world);
    const [ask] = openAsks(world);
    expect(ask).toMatchObject({ kind: "permission", title: "rm -rf build", laneId: "lane", messageId: "m1" });
    expect(ask?.since).toBeLessThanOrEqual(world.clock.now());
  });

  test("an answer lets the turn go on, and the ask is gone at once", async () => {
    const world = await startWorld({ script: asking });
    const ask = await blocked(world);
    await world.waybill.people.answer(ask, { decision: "once" });
    expect(openAsks(world)).toEqual([]);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("an ask that an event told of is listed and can be answered before a look has found it", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    const read = world.stub.read.bind(world.stub);
    const answered = new Promise<unknown>((resolve, reject) => {
      world.waybill.store.onLog((items) => {
        for (const item of items) {
          if (item.type !== "event" || item.event.type !== "permission.requested") continue;
          const listed = openAsks(world);
          world.waybill.people.answer(item.event.data.ask, { decision: "once" }).then(() => resolve(listed), reject);
        }
      });
    });
    // Nobody can look: only the event tells.
    world.stub.read = async (...args) => ({ ...(await read(...args)), asks: [] });
    await world.send({ id: "m1" });
    await world.clock.advance(1000);
    expect(await answered).toMatchObject([{ kind: "permission", title: "rm -rf build", laneId: "lane" }]);
    expect(openAsks(world)).toEqual([]);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("an ask that an event told of knows its message once a look has found it, and so does the alert", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    const read = world.stub.read.bind(world.stub);
    world.stub.read = async (...args) => ({ ...(await read(...args)), asks: [] });
    await blocked(world);
    expect(openAsks(world)).toMatchObject([{ messageId: null }]);
    world.stub.read = read;
    await world.clock.advance(3 * minute);
    expect(openAsks(world)).toMatchObject([{ messageId: "m1" }]);
    expect(raised(world)).toEqual([["ask", "m1", "permission_pending"]]);
  });

  test.each(["seen by a look", "only told"])("an ask goes with its lane, also when it was %s", async (how) => {
    const world = await startWorld({ script: asking });
    const read = world.stub.read.bind(world.stub);
    if (how === "only told") world.stub.read = async (...args) => ({ ...(await read(...args)), asks: [] });
    // Nobody hears how it ends.
    world.waybill.store.onLog(() => {
      world.waybill.asks.answered = () => {};
    });
    const ask = await blocked(world);
    await world.waybill.people.removeLane("lane", "user", true);
    expect([openAsks(world), world.waybill.asks.laneOf(ask)]).toEqual([[], null]);
  });

  test("a rejected ask ends the delivery, without a retry", async () => {
    const world = await startWorld({ script: asking });
    const ask = await blocked(world);
    await world.waybill.people.answer(ask, { decision: "reject" });
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({ lastReason: "ask_rejected", attempts: 1 });
  });

  test("an answer that the agent program does not take in time can be given again", async () => {
    const world = await startWorld({ script: asking });
    const ask = await blocked(world);
    const take = world.stub.answer.bind(world.stub);
    world.stub.answer = () => new Promise(() => {});
    const refused = expect(world.waybill.people.answer(ask, { decision: "once" })).rejects.toMatchObject({
      code: "runtime_unavailable",
      retryable: true,
    });
    await world.clock.advance(5 * minute);
    await refused;
    world.stub.answer = take;
    await world.waybill.people.answer(ask, { decision: "once" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("what is not asked any more cannot be answered", async () => {
    const world = await startWorld({ script: asking });
    const ask = await blocked(world);
    await world.waybill.people.answer(ask, { decision: "once" });
    for (const id of [ask, "nonsense"]) {
      await expect(world.waybill.people.answer(id, { decision: "once" })).rejects.toMatchObject({
        code: "ask_unknown",
      });
    }
  });

  test("an ask goes with its delivery when a person cancels that", async () => {
    const world = await startWorld({ script: asking });
    await blocked(world);
    await world.waybill.people.cancel((await world.delivery("m1")).id, "user");
    expect(openAsks(world)).toEqual([]);
  });

  test("an ask that comes after the message was answered is listed, for it keeps the lane waiting", async () => {
    const steps = [{ reply: "The answer is 42." }, { wait: minute }, { ask: "permission" as const }, { say: "Done." }];
    const world = await startWorld({ script: { turns: [{ steps }] }, lanes: [{ contract: "tool" }], alerts: times });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.clock.advance(10 * minute);
    expect(openAsks(world)).toMatchObject([{ messageId: "m1" }]);
    expect(raised(world)).toEqual([["ask", "m1", "permission_pending"]]);
    await world.waybill.people.answer(openAsks(world)[0]?.id ?? "", { decision: "once" });
    await world.clock.until(async () => (await world.delivery("m1")).turnEndedAt !== null);
    expect(openAsks(world)).toEqual([]);
  });

  test("an ask is never taken for that of an earlier message, whose late proof is looked for", async () => {
    const script = { turns: [{ steps: [] }, { steps: [{ wait: 2000 }, ...askingSteps] }], hints: false };
    const world = await startWorld({
      script,
      policy: { maxAttempts: 1, lateReconcileDelaysMs: [1000, 1000, 1000, 1000, 1000, 1000] },
    });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.send({ id: "m2" });
    const seen = new Set<string | null>();
    world.waybill.asks.onChange(() => openAsks(world).map((ask) => seen.add(ask.messageId)));
    await world.clock.advance(2 * minute);
    expect([...seen]).toEqual(["m2"]);
  });

  test("an ask is found again after a restart, as old as it is", async () => {
    const world = await startWorld({ script: asking });
    await blocked(world);
    const before = openAsks(world);
    await world.stop();
    await world.clock.advance(minute);
    await world.start();
    await world.clock.until(() => openAsks(world).length > 0);
    expect(openAsks(world)).toEqual(before);
  });
});

describe("alerts", () => {
  test("an ask that waits too long is told once, to whoever sent the message", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    await blocked(world);
    await world.clock.advance(times.askMs - 1000);
    expect(raised(world)).toEqual([]);
    await world.clock.advance(5 * minute);
    expect(raised(world)).toEqual([["ask", "m1", "permission_pending"]]);
    expect(world.alerts[0]).toMatchObject({ person: "user", laneId: "lane" });
  });

  test("an ask that is answered in time is not told", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    await world.waybill.people.answer(await blocked(world), { decision: "once" });
    await world.clock.advance(20 * minute);
    expect(raised(world)).toEqual([]);
  });

  test("a failure that nobody takes care of is told once, also over a restart", async () => {
    const world = await startWorld({ script: silent, alerts: times, policy: { maxAttempts: 1 } });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.stop();
    await world.start();
    await world.clock.advance(times.failureMs + 1000);
    expect(raised(world)).toEqual([["failure", "m1", "empty_assistant_turn"]]);
    await world.stop();
    await world.start();
    await world.clock.advance(60 * minute);
    expect(raised(world)).toHaveLength(1);
  });

  test("a failure that a person retries in time is not told; when it fails anew, that is", async () => {
    const world = await startWorld({ script: silent, alerts: times, policy: { maxAttempts: 1 } });
    await world.send({ id: "m1" });
    const failed = await world.reaches("m1", "failed_terminal");
    await world.clock.advance(minute);
    await world.waybill.people.retry(failed.id, "user");
    await settled();
    const again = await world.reaches("m1", "failed_terminal");
    await world.clock.advance(60 * minute);
    expect(world.alerts.map((alert) => alert.id)).toEqual([`failure:${failed.id}:${again.failedAt}`]);
  });

  test("a turn that takes long is a notice and changes nothing about its delivery", async () => {
    const script = { turns: [{ steps: [{ tool: "bash", takesMs: 12 * minute, output: "ok" }, { say: "Built." }] }] };
    const world = await startWorld({ script, alerts: times });
    await world.send({ id: "m1" });
    await world.clock.advance(times.lateMs + 1000);
    expect(raised(world)).toEqual([["late", "m1", "no_outcome_yet"]]);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("an ask that is answered while the store cannot be written is not told afterwards", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    const ask = await blocked(world);
    const { store } = world.waybill;
    const { raise } = store;
    store.raise = async () => {
      await world.waybill.people.answer(ask, { decision: "once" });
      throw new Error("the disk is full");
    };
    await world.clock.advance(times.askMs + 1000);
    store.raise = raise;
    await world.clock.advance(5 * minute);
    expect(raised(world)).toEqual([]);
    expect(world.errors.splice(0)).toEqual([new Error("the disk is full")]);
  });

  test("whoever follows the log hears of them", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    const { store } = world.waybill;
    const after = store.logEnd();
    await blocked(world);
    await world.clock.advance(times.askMs + 1000);
    const { items } = await store.readLog({ after, limit: 1000 });
    expect(items.filter((item) => item.type === "alert")).toHaveLength(1);
  });

  test("nothing waits, nothing ticks", async () => {
    const world = await startWorld({ script: { always: [{ steps: [{ say: "Yes: 3." }] }] }, alerts: times });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.clock.advance(minute);
    expect(world.clock.pending).toBe(0);
  });
});

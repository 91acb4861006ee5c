import { describe, expect, test } from "vitest";
import { settled } from "../support/core/manual-clock.ts";
import type { World } from "../support/daemon/waybill.ts";
import { startWorld } from "../support/daemon/waybill.ts";

const minute = 60_000;
const times = { askMs: 2 * minute, failureMs: 5 * minute, lateMs: 10 * minute };
const askingSteps = [
  { ask: "permission" as const, title: "rm -rf build", detail: { command: "rm -rf build" } },
  { say: "Done." },
];
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
  test("an ask is listed with the message that it blocks, and since when", async () => {
    const world = await startWorld({ script: asking });
    await blocked(world);
    const [ask] = openAsks(world);
    expect(ask).toMatchObject({ kind: "permission", title: "rm -rf build", laneId: "lane", messageId: "m1" });
    expect(ask?.since).toBeLessThanOrEqual(world.clock.now());
  });

  test("an ask is listed with what it is about: the call, its tool and input, the detail and the diff", async () => {
    const detail = { filepath: "a.ts", diff: "-old\n+new" };
    const steps = [{ ask: "permission" as const, title: "edit: a.ts", detail }, { say: "Done." }];
    const world = await startWorld({ script: { turns: [{ steps }] } });
    const ask = await blocked(world);
    const call = ask.replace("ask-", "");
    const about = { call, tool: "bash", input: {}, detail, diff: "-old\n+new", questions: [], nativeSession: null };
    expect(openAsks(world)).toMatchObject([{ messageId: "m1", ...about }]);
  });

  test("a question is listed with its options", async () => {
    const questions = [
      {
        header: "Port",
        question: "Which port?",
        options: [{ label: "8080", description: "the usual" }],
        multiple: false,
      },
    ];
    const steps = [{ ask: "question" as const, questions }, { say: "Done." }];
    const world = await startWorld({ script: { turns: [{ steps }] } });
    await blocked(world);
    expect(openAsks(world)).toMatchObject([{ kind: "question", title: "Which port?", questions, diff: null }]);
  });

  test("the log reports when an ask opens and when it is over, however it ends", async () => {
    const world = await startWorld({ script: { always: [{ steps: askingSteps }] } });
    const told: string[] = [];
    world.waybill.store.onLog((items) => {
      for (const item of items) if (item.type === "ask") told.push(`${item.laneId} ${item.ask} ${item.open}`);
    });
    const ask = await blocked(world);
    await settled();
    expect(new Set(told)).toEqual(new Set([`lane ${ask} true`]));
    told.length = 0;
    await world.waybill.interventions.stop("lane", "user");
    await world.clock.until(() => openAsks(world).length === 0);
    await settled();
    expect(new Set(told)).toEqual(new Set([`lane ${ask} false`]));
  });

  test("an answer lets the turn continue, and the ask is removed immediately", async () => {
    const world = await startWorld({ script: asking });
    const ask = await blocked(world);
    await world.waybill.interventions.answer(ask, { decision: "once" });
    expect(openAsks(world)).toEqual([]);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("an ask announced by an event is listed and can be answered before a reconcile has found it", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    const read = world.stub.read.bind(world.stub);
    const answered = new Promise<unknown>((resolve, reject) => {
      world.waybill.store.onLog((items) => {
        for (const item of items) {
          if (item.type !== "event" || item.event.type !== "permission.requested") continue;
          const listed = openAsks(world);
          world.waybill.interventions
            .answer(item.event.data.ask, { decision: "once" })
            .then(() => resolve(listed), reject);
        }
      });
    });
    // No reconcile can read it: only the event announces it.
    world.stub.read = async (...args) => ({ ...(await read(...args)), asks: [] });
    await world.send({ id: "m1" });
    await world.clock.advance(1000);
    expect(await answered).toMatchObject([{ kind: "permission", title: "rm -rf build", laneId: "lane" }]);
    expect(openAsks(world)).toEqual([]);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("an ask announced by an event has its message once a reconcile has found it, and so does the alert", async () => {
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

  test.each(["observed", "only announced"])("an ask is removed with its lane, even if it was %s", async (how) => {
    const world = await startWorld({ script: asking });
    const read = world.stub.read.bind(world.stub);
    if (how === "only announced") world.stub.read = async (...args) => ({ ...(await read(...args)), asks: [] });
    // The registry does not learn how it ends.
    world.waybill.store.onLog(() => {
      world.waybill.asks.answered = () => {};
    });
    const ask = await blocked(world);
    await world.waybill.interventions.removeLane("lane", "user", true);
    expect([openAsks(world), world.waybill.asks.laneOf(ask)]).toEqual([[], null]);
  });

  test("a rejected ask ends the delivery, without a retry", async () => {
    const world = await startWorld({ script: asking });
    const ask = await blocked(world);
    await world.waybill.interventions.answer(ask, { decision: "reject" });
    expect(await world.reaches("m1", "failed_terminal")).toMatchObject({ lastReason: "ask_rejected", attempts: 1 });
  });

  test("an answer that the agent program does not accept in time can be given again", async () => {
    const world = await startWorld({ script: asking });
    const ask = await blocked(world);
    const take = world.stub.answer.bind(world.stub);
    world.stub.answer = () => new Promise(() => {});
    const refused = expect(world.waybill.interventions.answer(ask, { decision: "once" })).rejects.toMatchObject({
      code: "runtime_unavailable",
      retryable: true,
    });
    await world.clock.advance(5 * minute);
    await refused;
    world.stub.answer = take;
    await world.waybill.interventions.answer(ask, { decision: "once" });
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("an ask that is no longer open cannot be answered", async () => {
    const world = await startWorld({ script: asking });
    const ask = await blocked(world);
    await world.waybill.interventions.answer(ask, { decision: "once" });
    for (const id of [ask, "nonsense"]) {
      await expect(world.waybill.interventions.answer(id, { decision: "once" })).rejects.toMatchObject({
        code: "ask_unknown",
      });
    }
  });

  test("an ask is removed with its delivery when a person cancels it", async () => {
    const world = await startWorld({ script: asking });
    await blocked(world);
    await world.waybill.interventions.cancel((await world.delivery("m1")).id, "user");
    expect(openAsks(world)).toEqual([]);
  });

  test("an ask that comes after the message was answered is listed, because it blocks the lane", async () => {
    const steps = [{ reply: "The answer is 42." }, { wait: minute }, { ask: "permission" as const }, { say: "Done." }];
    const world = await startWorld({ script: { turns: [{ steps }] }, lanes: [{ contract: "tool" }], alerts: times });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.clock.advance(10 * minute);
    expect(openAsks(world)).toMatchObject([{ messageId: "m1" }]);
    expect(raised(world)).toEqual([["ask", "m1", "permission_pending"]]);
    await world.waybill.interventions.answer(openAsks(world)[0]?.id ?? "", { decision: "once" });
    await world.clock.until(async () => (await world.delivery("m1")).turnEndedAt !== null);
    expect(openAsks(world)).toEqual([]);
  });

  test("an ask is never taken for one of an earlier message that is reconciled for late proof", async () => {
    const script = { turns: [{ steps: [] }, { steps: [{ wait: 2000 }, ...askingSteps] }], hints: false };
    const world = await startWorld({
      script,
      policy: { maxAttempts: 1, lateReconcileDelaysMs: [1000, 1000, 1000, 1000, 1000, 1000] },
    });
    await world.send({ id: "m1" });
    await world.reaches("m1", "failed_terminal");
    await world.send({ id: "m2" });
    const seen = new Set<string | null>();
    world.waybill.store.onLog(() => openAsks(world).map((ask) => seen.add(ask.messageId)));
    await world.clock.advance(2 * minute);
    // Before a reconcile has found it, its message is unknown.
    expect([...seen].filter((id) => id !== null)).toEqual(["m2"]);
  });

  test("an ask is found again after a restart, with its original time and subject", async () => {
    const world = await startWorld({ script: asking });
    await blocked(world);
    const before = openAsks(world);
    await world.stop();
    await world.clock.advance(minute);
    await world.start();
    await world.clock.until(() => openAsks(world).length > 0);
    expect(openAsks(world)).toEqual(before);
    expect(before).toMatchObject([{ detail: { command: "rm -rf build" }, tool: "bash" }]);
  });
});

describe("alerts", () => {
  test("an ask that waits too long raises one alert, for the sender of the message", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    await blocked(world);
    await world.clock.advance(times.askMs - 1000);
    expect(raised(world)).toEqual([]);
    await world.clock.advance(5 * minute);
    expect(raised(world)).toEqual([["ask", "m1", "permission_pending"]]);
    expect(world.alerts[0]).toMatchObject({ person: "user", laneId: "lane" });
  });

  test("an ask that is answered in time raises no alert", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    await world.waybill.interventions.answer(await blocked(world), { decision: "once" });
    await world.clock.advance(20 * minute);
    expect(raised(world)).toEqual([]);
  });

  test("an unattended failure raises one alert, even across a restart", async () => {
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

  test("a failure that a person retries in time raises no alert, and failing again does", async () => {
    const world = await startWorld({ script: silent, alerts: times, policy: { maxAttempts: 1 } });
    await world.send({ id: "m1" });
    const failed = await world.reaches("m1", "failed_terminal");
    await world.clock.advance(minute);
    await world.waybill.interventions.retry(failed.id, "user");
    await settled();
    const again = await world.reaches("m1", "failed_terminal");
    await world.clock.advance(60 * minute);
    expect(world.alerts.map((alert) => alert.id)).toEqual([`failure:${failed.id}:${again.failedAt}`]);
  });

  test("a long turn raises an alert and changes nothing about its delivery", async () => {
    const script = { turns: [{ steps: [{ tool: "bash", takesMs: 12 * minute, output: "ok" }, { say: "Built." }] }] };
    const world = await startWorld({ script, alerts: times });
    await world.send({ id: "m1" });
    await world.clock.advance(times.lateMs + 1000);
    expect(raised(world)).toEqual([["late", "m1", "no_outcome_yet"]]);
    expect(await world.reaches("m1", "responded")).toMatchObject({ attempts: 1 });
  });

  test("an ask that is answered while the store cannot be written raises no alert afterwards", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    const ask = await blocked(world);
    const { store } = world.waybill;
    const { raise } = store;
    store.raise = async () => {
      await world.waybill.interventions.answer(ask, { decision: "once" });
      throw new Error("the disk is full");
    };
    await world.clock.advance(times.askMs + 1000);
    store.raise = raise;
    await world.clock.advance(5 * minute);
    expect(raised(world)).toEqual([]);
    expect(world.errors.splice(0)).toEqual([new Error("the disk is full")]);
  });

  test("appear in the log", async () => {
    const world = await startWorld({ script: asking, alerts: times });
    const { store } = world.waybill;
    const after = store.logEnd();
    await blocked(world);
    await world.clock.advance(times.askMs + 1000);
    const { items } = await store.readLog({ after, limit: 1000 });
    expect(items.filter((item) => item.type === "alert")).toHaveLength(1);
  });

  test("set no timer when nothing waits", async () => {
    const world = await startWorld({ script: { always: [{ steps: [{ say: "Yes: 3." }] }] }, alerts: times });
    await world.send({ id: "m1" });
    await world.reaches("m1", "responded");
    await world.clock.advance(minute);
    expect(world.clock.pending).toBe(0);
  });
});

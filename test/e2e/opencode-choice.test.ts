/** Agents, models and usage, by the real OpenCode server's own lists and numbers. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scriptedProvider } from "@waybill/scripted-model";
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { dayOf } from "../../src/core/lane/lane.ts";
import { opencode } from "../../src/runtimes/opencode/descriptor.ts";
import type { Runtime } from "../../src/runtimes/port.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { serviceOf } from "../support/daemon/service-of.ts";
import { opencodeBin, opencodeEnvironment } from "../support/opencode/opencode-server.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";

const world = new OpencodeWorld({
  lanes: [
    {},
    { id: "planner", agent: "plan" },
    { id: "planner-by-model", agent: "plan", model: "scripted/scripted" },
    { id: "named", model: "scripted/scripted" },
    { id: "short", model: "scripted" },
    { id: "wrong-agent", agent: "nobody" },
    { id: "wrong-model", model: "scripted/none" },
    { id: "subagent", agent: "general" },
    { id: "limited" },
    { id: "priced", directory: "priced" },
    { id: "odd", agent: "odd" },
    { id: "changed-agent", agent: "build" },
    { id: "changed-model", directory: "two-models", model: "scripted/scripted" },
  ],
  // An agent that the server knows, with a model that it does not know.
  config: { agent: { odd: { mode: "primary", model: "scripted/none", prompt: "Be odd." } } },
  limits: { limited: { tokens: 100, cost: null }, priced: { tokens: null, cost: 1 } },
});
beforeAll(async () => {
  // Dollars per million tokens, from the project's own settings.
  const models = { scripted: { cost: { input: 10_000, output: 10_000 } } };
  mkdirSync(join(world.directory, "priced"));
  writeFileSync(join(world.directory, "priced/opencode.json"), JSON.stringify({ provider: { scripted: { models } } }));
  const other = { models: { other: { name: "Another one" } } };
  mkdirSync(join(world.directory, "two-models"));
  writeFileSync(join(world.directory, "two-models/opencode.json"), JSON.stringify({ provider: { scripted: other } }));
  await world.start();
});
afterAll(() => world.dispose());

const usage = (lane: string) => world.waybill.store.usageOf(lane, dayOf(Date.now()));

test("the models that the server lists for a lane's directory are offered", async () => {
  const runtime = world.waybill.runtimes.get("opencode");
  expect(await runtime?.models?.(world.work, AbortSignal.timeout(60_000))).toContain("scripted/scripted");
  const listing = vi.spyOn(runtime as Required<Runtime>, "models").mockResolvedValue(["scripted/listed"]);
  onTestFinished(() => listing.mockRestore());
  const modelsAt = async (directory: string) =>
    (await serviceOf(world.waybill).runtimes(directory)).find(({ kind }) => kind === "opencode")?.models;
  expect(await modelsAt("/elsewhere")).not.toContain("scripted/listed");
  expect(listing).not.toHaveBeenCalled();
  expect(await modelsAt(world.work)).toEqual(expect.arrayContaining(["scripted/none", "scripted/listed"]));
});

test.each(["planner", "planner-by-model", "named", "short"])("a known choice (%s) is used", async (lane) => {
  world.script({ rules: [{ when: `hello ${lane}`, steps: [{ say: "Hello: 1 of 1." }] }] });
  await world.send(`to-${lane}`, `hello ${lane}`, { to: { lane } });
  const record = await world.until(`to-${lane}`, ({ status }) => status === "responded", lane);
  const attempt = record.attemptList[0];
  const { info } = await world.stored(attempt?.sessionId ?? "", attempt?.messageId ?? "");
  expect(info).toMatchObject({
    agent: lane.startsWith("planner") ? "plan" : "build",
    model: { providerID: "scripted", modelID: "scripted" },
  });
});

test.each([
  ["changed-agent", { agent: "plan" }, ["build/scripted", "build/scripted", "plan/scripted"]],
  ["changed-model", { model: "scripted/other" }, ["build/scripted", "build/scripted", "build/other"]],
])(
  "a changed choice (%s) applies from the next message on, and a retry keeps the old one",
  async (lane, change, expected) => {
    world.script({ rules: [{ when: "one", once: true, steps: [{}] }, { steps: [{ say: "There are 2 of them." }] }] });
    await world.send(`${lane}-1`, `one in ${lane}`, { to: { lane } });
    await world.until(`${lane}-1`, ({ attempts }) => attempts === 1, lane);
    await world.waybill.store.changeLane(lane, change);
    const first = await world.until(`${lane}-1`, ({ status }) => status === "responded", lane);
    await world.send(`${lane}-2`, `two in ${lane}`, { to: { lane } });
    const next = await world.until(`${lane}-2`, ({ status }) => status === "responded", lane);
    const prompts = [...first.attemptList, ...next.attemptList];
    const stored = await Promise.all(prompts.map(({ sessionId, messageId }) => world.stored(sessionId, messageId)));
    expect(stored.map(({ info }) => info)).toMatchObject(
      expected.map((choice) => ({ agent: choice.split("/")[0], model: { modelID: choice.split("/")[1] } })),
    );
  },
);

test.each([
  ["wrong-agent", /^agent_unknown: nobody \(known: .*build.*plan.*\)$/],
  ["wrong-model", /^model_unknown: scripted\/none \(known: .*scripted\/scripted.*\)$/],
  ["subagent", /^agent_unknown: general /],
])(
  "an unknown choice (%s) is refused before anything is sent, and the error lists the known ones",
  async (lane, reason) => {
    await world.send(`to-${lane}`, `hello ${lane}`, { to: { lane } });
    const record = await world.until(`to-${lane}`, ({ status }) => status === "failed_terminal", lane);
    expect(record.lastReason).toMatch(reason);
    expect(world.turns(`hello ${lane}`)).toBe(0);
  },
);

test("lanes with an unknown agent or model have a notice before the first message, and other lanes have none", async () => {
  const service = serviceOf(world.waybill);
  const noticesOf = async (id: string) => (await service.lane(id)).notices;
  await expect.poll(() => noticesOf("wrong-agent")).toMatchObject([{ code: "agent_unknown" }]);
  await expect.poll(() => noticesOf("subagent")).toMatchObject([{ code: "agent_unknown" }]);
  await expect
    .poll(() => noticesOf("wrong-model"))
    .toMatchObject([{ code: "model_unknown", message: expect.stringContaining("scripted/scripted") }]);
  for (const id of ["lane", "planner", "named", "short"]) expect(await noticesOf(id)).toEqual([]);
  expect(await service.readiness()).toMatchObject({
    ready: true,
    degraded: true,
    reasons: expect.arrayContaining(["agent_unknown:opencode", "model_unknown:opencode"]),
  });
});

test("creating a lane with an unknown agent or model is refused, and the error names the nearest one", async () => {
  const service = serviceOf(world.waybill);
  const lane = { displayName: null, team: null, member: null, runtime: "opencode", contract: "text" } as const;
  const put = (choice: { agent: string | null; model: string | null }) =>
    service.putLane({ id: "made", ...lane, directory: world.work, ...choice });
  await expect(put({ agent: "pla", model: null })).rejects.toMatchObject({
    code: "lane_invalid",
    message: expect.stringMatching(/has no agent "pla" .* Did you mean "plan"\?/),
  });
  await expect(put({ agent: null, model: "scripted/other" })).rejects.toMatchObject({ code: "lane_invalid" });
  expect((await put({ agent: "plan", model: null })).lane.agent).toBe("plan");
});

test("the doctor starts its own server if none runs", async () => {
  const env = {
    ...process.env,
    ...opencodeEnvironment(join(world.directory, "doctor-home")),
    OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(world.model.url)),
  };
  const port = await freePort();
  const server = { opencodeAutoStart: true, opencodeServeHost: "127.0.0.1", opencodeServePort: port };
  const settings = { opencodeBin, opencodeAttachUrl: `http://127.0.0.1:${port}`, ...server };
  const lane = { directory: world.work, agent: null, model: null };
  const lanes = [
    { ...lane, id: "right", agent: "plan" },
    { ...lane, id: "wrong", model: "scripted/none" },
  ];
  const { signal } = new AbortController();
  const checks = await opencode.doctor(settings, { env, stateDirectory: world.directory, lanes, signal });
  expect(checks.map(({ name, status }) => [name, status])).toEqual([
    ["program opencode", "ok"],
    ["server opencode", "ok"],
    ["model opencode", "ok"],
    ["agent of lane right", "ok"],
    ["model of lane wrong", "failed"],
  ]);
});

test("a turn that fails before it has a row reports the server's error", async () => {
  await world.send("odd", "Be odd.", { to: { lane: "odd" }, actionMode: "ask" });
  const record = await world.until("odd", ({ responseState }) => responseState === "session_error", "odd");
  expect(record.diagnostics).toEqual(["agent_error: Model not found: scripted/none."]);
  expect(record.attemptList).toMatchObject([{ sends: 1 }]);
});

test("tokens are counted once, however often they are read, and over the limit nothing is sent", async () => {
  const used = { input: 70, output: 40 };
  world.script({ rules: [{ when: "count", steps: [{ say: "It is 12.", usage: used }] }] });
  const to = { lane: "limited" };
  await world.send("count-1", "Please count 1.", { to });
  await world.until("count-1", ({ status }) => status === "responded", "limited");
  await world.send("count-2", "Please count 2.", { to });
  await expect
    .poll(async () => (await world.waybill.store.lane("limited"))?.pausedReason)
    .toBe("daily_token_limit_reached");
  expect(await usage("limited")).toMatchObject({ tokens: 110 });
  await world.waybill.interventions.resume("limited");
  await world.until("count-2", ({ status }) => status === "responded", "limited");
  await expect.poll(async () => (await usage("limited")).tokens).toBe(220);
});

test("costs are counted by the server's own prices, and over the limit nothing is sent", async () => {
  const used = { input: 70, output: 40 };
  world.script({ rules: [{ when: "pay", steps: [{ say: "It is 12.", usage: used }] }] });
  const to = { lane: "priced" };
  await world.send("pay-1", "Please pay 1.", { to });
  await world.until("pay-1", ({ status }) => status === "responded", "priced");
  await world.send("pay-2", "Please pay 2.", { to });
  await expect
    .poll(async () => (await world.waybill.store.lane("priced"))?.pausedReason)
    .toBe("daily_cost_limit_reached");
  expect((await usage("priced")).cost).toBeCloseTo(1.1);
  expect([world.turns("pay 1"), world.turns("pay 2")]).toEqual([1, 0]);
});

test("the usage of a subtask counts for its lane, even if the subtask is continued later", async () => {
  const used = { input: 70, output: 40 };
  const task = { description: "d", prompt: "inside job", subagent_type: "general" };
  world.script({
    rules: [
      { when: "inside job", steps: [{ say: "Inside: 1.", usage: used }] },
      {
        when: "delegate",
        steps: [
          { tools: [{ tool: "task", input: task }], usage: used },
          { say: "Outside: {{result}}", usage: used },
        ],
      },
      {
        when: "/go on with (ses_\\w+)/",
        steps: [
          { tools: [{ tool: "task", input: { ...task, task_id: "{{1}}" } }], usage: used },
          { say: "2.", usage: used },
        ],
      },
    ],
  });
  await world.send("delegated", "Please delegate.");
  await world.reaches("delegated", "responded");
  await world.waybill.courier.moveLane("lane", { reconcile: true });
  await expect.poll(async () => (await usage("lane")).tokens).toBe(330);
  const [subtask] = /ses_\w+/.exec((await world.answers()).at(-1) ?? "") ?? [];
  await world.send("gone-on", `Please go on with ${subtask}.`);
  await world.reaches("gone-on", "responded");
  await expect.poll(async () => (await usage("lane")).tokens).toBe(660);
});

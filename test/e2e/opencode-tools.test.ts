/** Waybill's own tools in lanes on the real OpenCode: each lane has only its own. */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { ownTools } from "../../src/runtimes/descriptor.ts";
import { LaneTools } from "../../src/runtimes/opencode/permissions/lane-tools.ts";
import { filesWith, processesWith } from "../support/daemon/secrets.ts";
import { serviceOf } from "../support/daemon/service-of.ts";
import { OpencodeWorld } from "../support/opencode/opencode-world.ts";
import { McpToolsServer } from "../support/teams/mcp-tools-server.ts";

const long = `${"long-".repeat(12)}name`;
const lanes = ["lane", "lane_b", "lane-b", "lane_message", long];
const tools = new McpToolsServer();
const given = { tools: false };
const world = new OpencodeWorld({
  permissions: { "*": "ask" },
  lanes: [...lanes, "moving"].map((id) => ({ id })),
  toolServer: async (laneId) => (given.tools ? tools.toolServer(laneId) : null),
});
let count = 0;

beforeAll(async () => {
  await tools.open();
  await world.start();
});
afterAll(async () => {
  await world.dispose();
  await tools.close();
});

/** Calls tools as a lane's agent. Returns the result of the last call, and which of Waybill's tools are offered. */
async function call(lane: string, ...names: string[]): Promise<{ result: string; offered: string[] }> {
  const id = `call-${++count}`;
  const steps = [
    ...names.map((tool) => ({ tools: [{ tool, input: { text: id } }] })),
    { say: "The result is: {{result}}" },
  ];
  world.script({ rules: [{ when: id, steps }] });
  await world.send(id, `Please do ${id}.`, { to: { lane } });
  await world.until(id, ({ status }) => status === "responded", lane);
  const turn = world.model.calls.findLast(({ kind, prompt }) => kind === "turn" && prompt.includes(id));
  const offered = (turn?.tools ?? []).filter((name) => name.startsWith("waybill"));
  return { result: (await world.answers()).at(-1) ?? "", offered };
}

const ownSend = (lane: string) => `waybill-${lane}_message_send`;
const connections = (lane: string) =>
  tools.requests.filter((one) => one.lane === lane && one.method === "initialize").length;
const codes = async (lane = "lane") => (await serviceOf(world.waybill).lane(lane)).notices.map(({ code }) => code);

test("are available in a session from before they existed, and need no permission", async () => {
  expect((await call("lane", "todoread")).offered).toEqual([]);
  const { sessionId } = (await world.waybill.store.lane("lane")) ?? {};
  given.tools = true;
  const { result, offered } = await call("lane", ownSend("lane"));
  expect(result).toContain(`message_send of lane took "call-${count}"`);
  expect(offered.sort()).toEqual(ownTools.map((tool) => `waybill-lane_${tool}`).sort());
  expect((await world.waybill.store.lane("lane"))?.sessionId).toBe(sessionId);
  expect(await codes()).toEqual([]);
});

test("are connected once for many prompts", async () => {
  await call("lane", ownSend("lane"));
  await call("lane", ownSend("lane"));
  expect(connections("lane")).toBe(1);
});

test("of another lane in the same directory do not exist for a lane, however similar their names are", async () => {
  for (const lane of lanes) {
    const { result, offered } = await call(lane, "message_send");
    expect(result).toContain(`message_send of ${lane} took "call-${count}"`);
    expect(offered).toHaveLength(ownTools.length);
  }
  const calls = tools.calls.length;
  const names = world.model.calls.flatMap((one) => one.tools).filter((name) => name.endsWith("_message_send"));
  const sends = [...new Set(names)];
  expect(sends).toHaveLength(lanes.length);
  for (const [index, lane] of lanes.entries()) {
    const others = sends.filter((_name, place) => place !== index);
    expect((await call(lane, ...others)).result).toContain(`unavailable tool '${others.at(-1)}'`);
  }
  expect(tools.calls.length).toBe(calls);
});

test("have names that providers accept, even in a lane with a long name", async () => {
  const { offered } = await call(long, "todoread");
  expect(Math.max(...offered.map((name) => name.length))).toBeLessThanOrEqual(64);
});

test("do not exist for a subtask, which cannot speak for its lane", async () => {
  const calls = tools.calls.length;
  const input = { description: "d", prompt: "inside job", subagent_type: "general" };
  world.script({
    rules: [
      {
        when: "inside job",
        steps: [{ tools: [{ tool: ownSend("lane"), input: { text: "as the lane" } }] }, { say: "Ended." }],
      },
      { when: "delegate", steps: [{ tools: [{ tool: "task", input }] }, { say: "Result of 1: {{result}}" }] },
    ],
  });
  world.changePolicy({ "*": "allow" });
  await world.send("subtask", "Please delegate.");
  await world.reaches("subtask", "responded");
  world.changePolicy({ "*": "ask" });
  const inside = world.model.calls.findLast(({ prompt }) => prompt === "inside job");
  expect(inside?.tools.filter((name) => name.startsWith("waybill"))).toEqual([]);
  expect(tools.calls.length).toBe(calls);
});

test("do not exist for a session without a lane on Waybill's server", async () => {
  const { id } = await world.call<{ id: string }>("POST", "/session");
  world.script({ otherwise: [{ say: "Hello." }] });
  await world.call("POST", `/session/${id}/message`, { parts: [{ type: "text", text: "stranger" }] });
  const turn = world.model.calls.findLast(({ kind, prompt }) => kind === "turn" && prompt === "stranger");
  expect(turn?.tools).toContain("bash");
  expect(turn?.tools.filter((name) => name.startsWith("waybill"))).toEqual([]);
});

test("have instructions that only their own lane gets", async () => {
  for (const lane of ["lane_b", "lane"]) {
    await call(lane, "todoread");
    const [system = ""] = world.instructions(`call-${count}.`);
    expect(system.match(/You are lane\S*/g)).toEqual([`You are ${lane}.`]);
  }
});

test("would be open to everybody after a prompt with `tools`, which replaces a session's rules, so Waybill sends none", async () => {
  const permission = [{ permission: "waybill-*", pattern: "*", action: "deny" }];
  const { id } = await world.call<{ id: string }>("POST", "/session", { permission });
  await world.call("POST", `/session/${id}/message`, { noReply: true, tools: { webfetch: false }, parts: [] });
  expect(await world.call("GET", `/session/${id}`)).toMatchObject({
    permission: [{ permission: "webfetch", pattern: "*", action: "deny" }],
  });
});

test("are reconnected with a new token", async () => {
  tools.renew("lane");
  expect((await call("lane", ownSend("lane"))).result).toContain("message_send of lane took");
});

test("are reconnected when OpenCode has reloaded the directory", async () => {
  const before = connections("lane");
  await world.call("POST", "/instance/dispose");
  expect((await call("lane", ownSend("lane"))).result).toContain("message_send of lane took");
  expect(connections("lane")).toBe(before + 1);
});

test("are reconnected on a restarted server", async () => {
  const { pid } = world.supervisor.address() ?? {};
  process.kill(-(pid ?? 0), "SIGKILL");
  expect((await call("lane", ownSend("lane"))).result).toContain("message_send of lane took");
  expect(world.supervisor.address()?.pid).not.toBe(pid);
});

test("that cannot be reached block no message: there is a notice until they are back", async () => {
  tools.renew("lane");
  await tools.close();
  expect((await call("lane", "todoread")).offered).toEqual([]);
  expect(await codes()).toEqual(["tools_unavailable"]);
  await tools.open();
  expect((await call("lane", ownSend("lane"))).result).toContain("message_send of lane took");
  expect(await codes()).toEqual([]);
});

test("work again after their server was down between two calls, without a new connection", async () => {
  const before = connections("lane");
  await tools.close();
  await tools.open();
  expect((await call("lane", ownSend("lane"))).result).toContain("message_send of lane took");
  expect(connections("lane")).toBe(before);
});

test("with a server that does not answer delay one message by a few seconds, and the next one not at all", async () => {
  tools.renew("lane");
  tools.hangs = true;
  // Only the wait for the tools: the rest of a turn takes as long as the machine needs.
  const took: number[] = [];
  const { connect } = LaneTools.prototype;
  const watched = vi.spyOn(LaneTools.prototype, "connect").mockImplementation(async function (this: LaneTools, ...to) {
    const start = performance.now();
    await connect.apply(this, to);
    took.push(performance.now() - start);
  });
  onTestFinished(() => watched.mockRestore());
  for (let turn = 0; turn < 2; turn += 1) await call("lane", "todoread");
  tools.hangs = false;
  expect(took).toHaveLength(2);
  expect(await codes()).toEqual(["tools_unavailable"]);
  expect(took[0]).toBeLessThan(8000);
  expect(took[1]).toBeLessThan(3000);
  tools.renew("lane");
  expect((await call("lane", ownSend("lane"))).result).toContain("message_send of lane took");
});

test("are disconnected when their lane is removed", async () => {
  await call("moving", ownSend("moving"));
  const status = async () =>
    (await world.call<Record<string, { status: string }>>("GET", "/mcp"))["waybill-moving"]?.status;
  expect(await status()).toBe("connected");
  await serviceOf(world.waybill).removeLane("moving", false);
  await expect.poll(status).toBe("disabled");
});

test("have tokens that appear in no process and in no file", () => {
  expect(tools.tokens().length).toBeGreaterThanOrEqual(lanes.length);
  expect(processesWith(tools.tokens())).toEqual([]);
  expect(filesWith(tools.tokens(), world.directory)).toEqual([]);
  expect(world.errors.map(String).filter((error) => tools.tokens().some((token) => error.includes(token)))).toEqual([]);
});

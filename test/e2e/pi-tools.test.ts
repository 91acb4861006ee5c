/**
 * Waybill's own tools in lanes on the real pi, which does not support MCP: Waybill's extension forwards their calls.
 */
import { rmSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ownTools } from "../../src/runtimes/descriptor.ts";
import { filesWith, processesWith } from "../support/daemon/secrets.ts";
import { serviceOf } from "../support/daemon/service-of.ts";
import { PiLanes } from "../support/pi/pi-lanes.ts";
import { McpToolsServer } from "../support/teams/mcp-tools-server.ts";

const tools = new McpToolsServer();
const world = new PiLanes({ lanes: [{}, { id: "other" }], pi: { toolServer: tools.toolServer } });
let count = 0;

beforeAll(async () => {
  await tools.open();
  await world.start();
});
afterAll(async () => {
  await world.dispose();
  await tools.close();
});

/** Calls a tool as the agent. Returns the result, and which of Waybill's tools are offered. */
async function call(tool: string, lane = "lane"): Promise<{ result: string; offered: readonly string[] }> {
  const id = `call-${++count}`;
  const steps = [{ tools: [{ tool, input: { text: id } }] }, { say: "The result is: {{result}}" }];
  world.script({ rules: [{ when: id, steps }] });
  await world.send(id, `Please do ${id}.`, { to: { lane } });
  await world.until(id, ({ status }) => status === "responded", lane);
  const turn = world.model.calls.findLast(({ kind, prompt }) => kind === "turn" && prompt.includes(id));
  const offered = (turn?.tools ?? []).filter((name) => name.startsWith("waybill"));
  return { result: (await world.answers()).at(-1) ?? "", offered };
}

const files = () => filesWith(tools.tokens(), world.directory).map((path) => relative(world.directory, path));
const codes = async () => (await serviceOf(world.waybill).lane("lane")).notices.map(({ code }) => code);

test("need no permission, and use the lane's own token", async () => {
  for (const lane of ["lane", "other"]) {
    const { result, offered } = await call("waybill_message_send", lane);
    expect(result).toContain(`message_send of ${lane} took "call-${count}"`);
    expect([...offered].sort()).toEqual(ownTools.map((tool) => `waybill_${tool}`).sort());
  }
});

test("are listed once for many prompts", async () => {
  await call("waybill_message_send");
  await call("waybill_message_send");
  expect(tools.requests.filter(({ lane, method }) => lane === "lane" && method === "tools/list")).toHaveLength(1);
});

test("that refuse a call give the reason, and the agent continues", async () => {
  tools.refusal = "There is nobody of that name.";
  expect((await call("waybill_message_list")).result).toContain("There is nobody of that name.");
  tools.refusal = null;
});

test("have tokens that appear in no process, and one file per program that only its owner can read", () => {
  expect(processesWith(tools.tokens())).toEqual([]);
  expect(files().sort()).toEqual(["pi/tools/lane.json", "pi/tools/other.json"]);
  for (const file of files()) expect(statSync(join(world.directory, file)).mode & 0o777).toBe(0o600);
});

test("use the new token after a change", async () => {
  tools.renew("lane");
  expect((await call("waybill_message_send")).result).toContain("message_send of lane took");
});

test("that cannot be reached when pi starts block no message: there is a notice, and the next turn has them", async () => {
  tools.renew("lane");
  await tools.close();
  expect((await call("waybill_message_list")).offered).toEqual([]);
  expect(await codes()).toEqual(["tools_unavailable"]);
  await tools.open();
  expect((await call("waybill_message_send")).result).toContain("message_send of lane took");
  expect(await codes()).toEqual([]);
});

test("with a server that does not answer delay a message by a few seconds", async () => {
  tools.renew("lane");
  tools.hangs = true;
  expect((await call("waybill_message_list")).offered).toEqual([]);
  tools.hangs = false;
  // Only the wait for the tools: the start of pi takes as long as the machine needs.
  const listed = tools.requests.findLast(({ method }) => method === "tools/list");
  const asked = world.model.calls.find(({ kind, prompt }) => kind === "turn" && prompt.includes(`call-${count}.`));
  expect((asked?.at ?? 0) - (listed?.at ?? 0)).toBeLessThan(10_000);
});

test("are available after pi has switched to another session", async () => {
  const { pid, sessionId } = world.program();
  rmSync(join(world.home, ".pi", "agent", "sessions"), { recursive: true });
  expect((await call("waybill_message_send")).result).toContain("message_send of lane took");
  expect(world.program().pid).toBe(pid);
  expect(world.program().sessionId).not.toBe(sessionId);
});

test("leave no file behind when the lane is removed, or the program ends", async () => {
  await serviceOf(world.waybill).removeLane("other", false);
  expect(files()).toEqual(["pi/tools/lane.json"]);
  await world.stop();
  expect(files()).toEqual([]);
});

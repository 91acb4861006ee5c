/** Waybill's own tools in lanes on the real Claude Code. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ownTools } from "../../src/runtimes/descriptor.ts";
import { ClaudeLanes } from "../support/claude/claude-lanes.ts";
import { filesWith, processesWith } from "../support/daemon/secrets.ts";
import { serviceOf } from "../support/daemon/service-of.ts";
import { McpToolsServer } from "../support/teams/mcp-tools-server.ts";

const tools = new McpToolsServer();
const elsewhere = new McpToolsServer();
const policy: { now: "safe" | "trusted" } = { now: "safe" };
const userConfig = join(mkdtempSync(join(tmpdir(), "waybill-mcp-")), "mcp.json");
const world: ClaudeLanes = new ClaudeLanes({
  lanes: [{}, { id: "other" }],
  claude: {
    toolServer: tools.toolServer,
    permissions: async () => ({ policy: policy.now, stateDirectories: [], otherDirectories: [] }),
    mcpConfigPath: userConfig,
  },
});
let count = 0;

beforeAll(async () => {
  await tools.open();
  await elsewhere.open();
  const { url, token } = await elsewhere.toolServer("elsewhere");
  const server = { type: "http", url, headers: { Authorization: `Bearer ${token}` } };
  // Both may choose any names for their servers.
  writeFileSync(userConfig, JSON.stringify({ mcpServers: { waybill: server, users: server } }));
  writeFileSync(join(world.work, ".mcp.json"), JSON.stringify({ mcpServers: { waybill: server, projects: server } }));
  await world.start();
});
afterAll(async () => {
  await world.dispose();
  await tools.close();
  await elsewhere.close();
  rmSync(dirname(userConfig), { recursive: true });
});

/** Calls a tool as the agent. Returns the result, and the offered tools. */
async function call(tool: string, lane = "lane"): Promise<{ result: string; offered: readonly string[] }> {
  const id = `call-${++count}`;
  const steps = [{ tools: [{ tool, input: { text: id } }] }, { say: "The result is: {{result}}" }];
  world.script({ rules: [{ when: id, steps }] });
  await world.send(id, `Please do ${id}.`, { to: { lane } });
  await world.until(id, ({ status }) => status === "responded", lane);
  const turn = world.model.calls.findLast(({ kind, prompt }) => kind === "turn" && prompt.includes(id));
  return { result: (await world.answers()).at(-1) ?? "", offered: turn?.tools ?? [] };
}

const own = (tool: string) => `mcp__waybill__${tool}`;
const files = () => filesWith(tools.tokens(), world.directory).map((path) => relative(world.directory, path));
const codes = async () => (await serviceOf(world.waybill).lane("lane")).notices.map(({ code }) => code);

test.each(["safe", "trusted"] as const)("need no permission, and use the lane's own token: %s", async (now) => {
  policy.now = now;
  for (const lane of ["lane", "other"]) {
    const { result, offered } = await call(own("message_send"), lane);
    expect(result).toContain(`message_send of ${lane} took "call-${count}"`);
    expect(offered.filter((name) => name.startsWith("mcp__waybill__")).sort()).toEqual(ownTools.map(own).sort());
  }
});

test("coexist with the servers of the user and the project, which cannot take their name", async () => {
  const { offered } = await call(own("message_list"));
  expect(offered).toContain("mcp__users__message_send");
  expect(offered).toContain("mcp__projects__message_send");
  expect(elsewhere.calls).toEqual([]);
});

test("are the only ones that reach other agents: Claude Code's own are not offered", async () => {
  const { offered } = await call(own("message_list"));
  expect(offered.filter((name) => /^(SendMessage|ListAgents)$/.test(name))).toEqual([]);
});

test("have tokens that appear in no process, and one file per program that only its owner can read", () => {
  expect(processesWith(tools.tokens())).toEqual([]);
  expect(files().sort()).toEqual(["claude/tools/lane.json", "claude/tools/other.json"]);
  for (const file of files()) expect(statSync(join(world.directory, file)).mode & 0o777).toBe(0o600);
});

test("use the new token after a change", async () => {
  tools.renew("lane");
  expect((await call(own("message_send"))).result).toContain("message_send of lane took");
});

test("that cannot be reached block no message: there is a notice, and the next message reconnects them", async () => {
  tools.renew("lane");
  await tools.close();
  const { offered } = await call(own("message_list"));
  expect(offered).not.toContain(own("message_list"));
  expect(await codes()).toEqual(["tools_unavailable"]);
  await tools.open();
  expect((await call(own("message_send"))).result).toContain("message_send of lane took");
  expect(await codes()).toEqual([]);
});

test("work again after their server was down between two calls", async () => {
  await tools.close();
  await tools.open();
  expect((await call(own("message_send"))).result).toContain("message_send of lane took");
});

test("leave no file behind when the lane is removed, when the program ends, or after a crash", async () => {
  await serviceOf(world.waybill).removeLane("other", false);
  expect(files()).toEqual(["claude/tools/lane.json"]);
  await world.stop();
  expect(files()).toEqual([]);
  const [token = ""] = tools.tokens();
  mkdirSync(join(world.directory, "claude", "tools"), { recursive: true });
  writeFileSync(join(world.directory, "claude", "tools", "lane.json"), token);
  await world.start();
  expect(files()).toEqual([]);
});

/** Waybill's own tools in lanes on the real Claude Code. */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ownTools } from "../../src/own-tools.ts";
import { ClaudeLanes } from "../support/claude-lanes.ts";
import { McpToolsServer } from "../support/mcp-tools-server.ts";
import { filesWith, processesWith } from "../support/secrets.ts";
import { serviceOf } from "../support/service-of.ts";

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
  // Both may name their servers as they like.
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

/** What the agent is told when it calls a tool, and what it is offered. */
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

test.each(["safe", "trusted"] as const)("are used without an ask, with the lane's own token: %s", async (now) => {
  policy.now = now;
  for (const lane of ["lane", "other"]) {
    const { result, offered } = await call(own("message_send"), lane);
    expect(result).toContain(`message_send of ${lane} took "call-${count}"`);
    expect(offered.filter((name) => name.startsWith("mcp__waybill__")).sort()).toEqual(ownTools.map(own).sort());
  }
});

test("stand beside the servers of the user and the project, and none of those can take their name", async () => {
  const { offered } = await call(own("message_list"));
  expect(offered).toContain("mcp__users__message_send");
  expect(offered).toContain("mcp__projects__message_send");
  expect(elsewhere.calls).toEqual([]);
});

test("are the only ones that reach other agents: Claude Code's own are not offered", async () => {
  const { offered } = await call(own("message_list"));
  expect(offered.filter((name) => /^(SendMessage|ListAgents)$/.test(name))).toEqual([]);
});

test("have tokens that no process shows, and one file for each program, which only its owner can read", () => {
  expect(processesWith(tools.tokens())).toEqual([]);
  expect(files().sort()).toEqual(["claude/tools/lane.json", "claude/tools/other.json"]);
  for (const file of files()) expect(statSync(join(world.directory, file)).mode & 0o777).toBe(0o600);
});

test("have another token after that was changed", async () => {
  tools.renew("lane");
  expect((await call(own("message_send"))).result).toContain("message_send of lane took");
});

test("that cannot be reached keep no message waiting: a notice, and they are connected with the next one", async () => {
  tools.renew("lane");
  await tools.close();
  const { offered } = await call(own("message_list"));
  expect(offered).not.toContain(own("message_list"));
  expect(await codes()).toEqual(["tools_unavailable"]);
  await tools.open();
  expect((await call(own("message_send"))).result).toContain("message_send of lane took");
  expect(await codes()).toEqual([]);
});

test("whose server was away for a while between two calls work again", async () => {
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

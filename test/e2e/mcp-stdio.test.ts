/** `waybill mcp` as a process, with the official client in both protocol revisions. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mcpMount } from "../../src/transports/mcp/mcp-mount.ts";
import { toolNames } from "../../src/transports/mcp/tools/registry.ts";
import type { TestAgents } from "../support/agents/agent-service.ts";
import { annasToken, testAgents, tomsToken } from "../support/agents/agent-service.ts";
import { freePort } from "../support/daemon/free-port.ts";
import { served } from "../support/daemon/http-api.ts";
import { Program } from "../support/daemon/program.ts";
import type { Revision } from "../support/teams/mcp-client.ts";
import { connected, revisions } from "../support/teams/mcp-client.ts";

let waybill: Program;
let agents: TestAgents;
beforeEach(() => {
  waybill = new Program();
  agents = testAgents();
});
afterEach(() => waybill.dispose());

const serve = async (port = 0) =>
  (await served({ mounts: [mcpMount(agents)], server: { closeMs: 50, port } })).listening;

function transportOf(url: string, token: string): StdioClientTransport {
  const path = join(waybill.directory, `${token}.token`);
  writeFileSync(path, `${token}\n`, { mode: 0o600 });
  const env = { ...waybill.env, WAYBILL_URL: url };
  return new StdioClientTransport({ ...waybill.command("mcp", "--token-file", path), env, stderr: "pipe" });
}

const clientOf = (url: string, token: string, revision: Revision) => connected(transportOf(url, token), revision);

describe.each(revisions)("a client of revision %s", (revision) => {
  test("lists and calls every tool", async () => {
    const { url } = await serve();
    const [tom, anna] = [await clientOf(url, tomsToken, revision), await clientOf(url, annasToken, revision)];
    expect(tom.client.getNegotiatedProtocolVersion()).toBe(revision);
    expect((await tom.client.listTools()).tools.map(({ name }) => name)).toEqual(toolNames);
    await tom.call("message_send", { to: "anna", text: "Green?" });
    const answered = tom.call("message_wait", { messageId: "m1" });
    await expect.poll(() => agents.waiting).toBe(1);
    expect((await anna.call("runtime_bootstrap_checkin")).data).toMatchObject({ open: [{ id: "m1" }] });
    expect((await anna.call("message_list")).data).toMatchObject({ messages: [{ id: "m1" }] });
    await anna.call("message_send", { to: "tom", text: "Yes.", outcome: "answer", relayOfMessageId: "m1" });
    expect((await answered).data).toMatchObject({ state: "answered", replies: [{ text: "Yes." }] });
    expect((await anna.call("member_briefing")).data).toMatchObject({ you: { name: "anna" }, open: [] });
    expect((await tom.call("team_list")).data).toMatchObject({ teams: [{ name: "core" }] });
    expect((await tom.call("notify_person", { text: "Green." })).data).toMatchObject({ to: "user" });
    expect((await tom.call("runtime_heartbeat")).data).toEqual({ noted: true });
    const refused = await tom.call("message_send", { to: "anna", text: "x", outcome: "finished" });
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("outcome must be one of answer") });
  });

  test("waits across a daemon restart, and can end its wait", async () => {
    const first = await serve(await freePort());
    const { call } = await clientOf(first.url, tomsToken, revision);
    await call("message_send", { to: "anna", text: "Green?" });
    const abort = new AbortController();
    const waiting = call("message_wait", { messageId: "m1" }, { signal: abort.signal });
    await expect.poll(() => agents.waiting).toBe(1);
    await first.close();
    await expect.poll(() => agents.waiting).toBe(0);
    await serve(first.port);
    await expect.poll(() => agents.waiting).toBe(1);
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => agents.waiting).toBe(0);
    expect((await call("team_list")).isError).toBe(false);
  });
});

test("exits when the client closes its input, and writes nothing but MCP", async () => {
  const { url } = await serve();
  const env = { WAYBILL_URL: url, WAYBILL_MCP_TOKEN: tomsToken };
  const request = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect(await waybill.run(["mcp"], { env })).toEqual({ code: 0, stdout: "", stderr: "" });
  const { code, stdout } = await waybill.run(["mcp"], { env, input: `not JSON\n${JSON.stringify(request)}\n` });
  expect(code).toBe(0);
  for (const line of stdout.split("\n").filter(Boolean)) expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
});

test.each([
  ["no token", {}, 1, "waybill: No member token was given.\nGive the path"],
  ["no daemon", { WAYBILL_MCP_TOKEN: tomsToken }, 5, "waybill: No daemon is running"],
  [
    "a daemon that does not answer",
    { WAYBILL_MCP_TOKEN: tomsToken, WAYBILL_URL: "http://127.0.0.1:9" },
    5,
    "waybill: The daemon cannot be reached: connect ECONNREFUSED 127.0.0.1:9",
  ],
])("%s is an error with an exit code", async (_, env, exitCode, words) => {
  const { code, stdout, stderr } = await waybill.run(["mcp"], { env: env as Record<string, string> });
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: "" });
  expect(stderr).toContain(words);
});

test("an unknown token is an error, and the token is not shown", async () => {
  const { url } = await serve();
  const env = { WAYBILL_URL: url, WAYBILL_MCP_TOKEN: "very-secret" };
  const { code, stdout, stderr } = await waybill.run(["mcp"], { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain("No member has this token");
  expect(stderr).not.toContain("very-secret");
});

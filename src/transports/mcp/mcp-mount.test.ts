import { describe, expect, test } from "vitest";
import { annasToken, testAgents, tomsToken } from "../../../test/support/agents/agent-service.ts";
import { token as apiToken, served } from "../../../test/support/daemon/http-api.ts";
import type { McpClient, Revision } from "../../../test/support/teams/mcp-client.ts";
import { connected, httpTransport, revisions } from "../../../test/support/teams/mcp-client.ts";
import { maxCharacters } from "../../core/message/message.ts";
import { mcpMount } from "./mcp-mount.ts";
import { toolNames } from "./tools/registry.ts";

async function daemon() {
  const agents = testAgents();
  const { listening, errors, ask } = await served({ mounts: [mcpMount(agents)], server: { closeMs: 200 } });
  const url = `${listening.url}/mcp`;
  const clientOf = (token: string, revision: Revision = "2026-07-28") =>
    connected(httpTransport(url, { authorization: `Bearer ${token}` }), revision);
  return { agents, listening, errors, ask, url, clientOf };
}

/** A request like any JSON-RPC client of the older revision sends. */
function post(url: string, headers: Record<string, string>, body: unknown = listRequest): Promise<Response> {
  const accept = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return fetch(url, { method: "POST", headers: { ...accept, ...headers }, body: JSON.stringify(body) });
}
const listRequest = { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} };

describe.each(revisions)("a client of revision %s", (revision) => {
  test("lists every tool with its input and output schemas", async () => {
    const { client } = await (await daemon()).clientOf(tomsToken, revision);
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(toolNames);
    for (const { description, inputSchema, outputSchema } of tools) {
      expect(description?.length).toBeLessThan(800);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: "object" });
    }
  });

  test("calls every tool", async () => {
    const { agents, clientOf, errors } = await daemon();
    const tom = await clientOf(tomsToken, revision);
    const anna = await clientOf(annasToken, revision);
    const sent = await tom.call("message_send", { to: "anna", text: "Is it green?", actionMode: "ask" });
    expect(sent).toEqual({
      isError: false,
      data: { messageId: "m1", to: "anna", known: false, waits: null },
      text: "Sent to anna as message m1. message_wait with messageId m1 returns when it is answered.",
    });
    const briefing = await anna.call("runtime_bootstrap_checkin");
    expect(briefing.data).toMatchObject({ you: { name: "anna" }, team: { name: "core" }, open: [{ id: "m1" }] });
    expect(briefing.text).toMatch(/A message is waiting for your answer[\s\S]*Message m1 from tom[\s\S]*Is it green\?/);
    expect((await anna.call("member_briefing")).data).toEqual(briefing.data);
    expect((await anna.call("message_list", { unreadOnly: true })).data).toMatchObject({
      messages: [{ id: "m1", from: "tom", actionMode: "ask", sentAt: "1970-01-01T00:00:00.000Z", shortened: false }],
    });
    const reply = { to: "tom", text: "It is.", outcome: "answer", relayOfMessageId: "m1", taskRefs: [{ id: "T-1" }] };
    expect((await anna.call("message_send", reply)).text).toBe("Sent to tom as message m2.");
    const answered = await tom.call("message_wait", { messageId: "m1" });
    expect(answered.data).toMatchObject({
      state: "answered",
      next: null,
      replies: [{ text: "It is.", taskRefs: [{ id: "T-1" }] }],
    });
    expect(answered.text).toMatch(
      /^Message m1 is answered\.\n\nMessage m2 from anna to tom,.*\(answer, reply to m1, task T-1, unread\):\nIt is\.$/,
    );
    expect((await tom.call("team_list")).text).toBe(
      "Team core (Core), active:\n- tom: developer, an agent, active\n- anna: developer, an agent, active",
    );
    expect((await tom.call("notify_person", { text: "All is green." })).data).toMatchObject({ to: "user" });
    expect((await tom.call("runtime_heartbeat")).data).toEqual({ noted: true });
    expect(agents.heartbeats).toEqual(["anna", "tom"]);
    expect(errors).toEqual([]);
  });

  test("gets a refusal of invalid arguments that explains what to send instead", async () => {
    const { agents, clientOf } = await daemon();
    const { call } = await clientOf(tomsToken, revision);
    const refused = async (name: string, args: Record<string, unknown>) => {
      const { isError, text, data } = await call(name, args);
      expect({ isError, data }).toEqual({ isError: true, data: undefined });
      return text;
    };
    const message = { to: "anna", text: "Done." };
    const outcomes = "answer, done, question, blocked, progress";
    expect(await refused("message_send", { ...message, text: 7 })).toContain("text must be a string, not a number");
    expect(await refused("message_send", { ...message, summary: null })).toContain("not null; or leave it out.");
    expect(await refused("message_send", { text: "Hi." })).toContain("to is missing: send a string.");
    expect(await refused("message_send", { ...message, text: " \n" })).toContain("text: must not be empty.");
    expect(await refused("message_send", { ...message, outcome: "finished" })).toContain(
      `outcome must be one of ${outcomes}, not "finished".`,
    );
    expect(await refused("message_send", { ...message, relayOfMessageId: "m1" })).toContain(
      `outcome, one of ${outcomes}`,
    );
    expect(await refused("message_send", { ...message, from: "anna" })).toContain('Unknown field "from".');
    expect(await refused("message_send", { ...message, outcom: "done" })).toContain("Did you mean outcome?");
    expect(await refused("message_send", { ...message, taskRefs: [{ name: "T-1" }] })).toContain(
      "taskRefs[0].id is missing",
    );
    expect(await refused("message_send", { ...message, to: "ana" })).toBe(
      'Unknown recipient "ana". team_list shows whom you can write to.',
    );
    expect(await refused("message_send", { ...message, text: "x".repeat(maxCharacters + 1) })).toMatch(
      /text is longer than 262144 characters: write it to a file/,
    );
    expect(await refused("message_list", { limit: 1000 })).toContain("limit must be at most 100.");
    expect(await refused("message_list", { limit: 1.5 })).toContain("limit must be an integer");
    expect(await refused("message_wait", { messageId: "m9" })).toMatch(/^You sent no message m9\./);
    expect(await refused("team_list", { team: "core" })).toContain("It takes no arguments.");
    expect(agents.mails).toEqual([]);
  });

  test("gets the list of tools when it calls an unknown one", async () => {
    const { call } = await (await daemon()).clientOf(tomsToken, revision);
    await expect(call("send_message", {})).rejects.toThrow(/Unknown tool "send_message".* The tools are message_send,/);
  });

  test("gets only a short message for a bug, and the log gets the error", async () => {
    const { agents, clientOf, errors } = await daemon();
    const bug = new Error("secret internals");
    agents.beforeSend = () => {
      throw bug;
    };
    const { call } = await clientOf(tomsToken, revision);
    const { isError, text } = await call("message_send", { to: "anna", text: "Hi." });
    expect({ isError, text }).toEqual({
      isError: true,
      text: "Internal error in Waybill. See Waybill's log for details.",
    });
    expect(errors).toEqual([bug]);
  });

  test("gets a clear error for a body that is too large", async () => {
    const { clientOf, agents } = await daemon();
    const { call } = await clientOf(tomsToken, revision);
    const text = "x".repeat(3 * 1024 * 1024);
    await expect(call("message_send", { to: "anna", text })).rejects.toThrow(/larger than 2097152 bytes/);
    expect(agents.mails).toEqual([]);
  });

  test("waits until the time is over, and is told to call again", async () => {
    const { clientOf, agents } = await daemon();
    const { call } = await clientOf(tomsToken, revision);
    await call("message_send", { to: "anna", text: "Green?" });
    const { data, text } = await call("message_wait", { messageId: "m1", timeoutSeconds: 1 });
    expect(data).toMatchObject({ state: "waiting", reason: "anna is working.", replies: [] });
    expect(text).toMatch(
      /^Message m1 is not answered yet: anna is working\. Call message_wait again with messageId m1/,
    );
    agents.fail("m1", "anna was removed.");
    const failed = await call("message_wait", { messageId: "m1" });
    expect(failed.data).toMatchObject({ state: "failed", reason: "anna was removed." });
  });

  test("ends its wait when it aborts the call", async () => {
    const { clientOf, agents } = await daemon();
    const { call } = await clientOf(tomsToken, revision);
    await call("message_send", { to: "anna", text: "Green?" });
    const abort = new AbortController();
    const waiting = call("message_wait", { messageId: "m1" }, { signal: abort.signal });
    await expect.poll(() => agents.waiting).toBe(1);
    abort.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => agents.waiting).toBe(0);
  });

  test("ends its wait when it disconnects", async () => {
    const { clientOf, agents } = await daemon();
    const { call, client } = await clientOf(tomsToken, revision);
    await call("message_send", { to: "anna", text: "Green?" });
    const waiting = call("message_wait", { messageId: "m1" }).catch(() => "gone");
    await expect.poll(() => agents.waiting).toBe(1);
    await client.close();
    expect(await waiting).toBe("gone");
    await expect.poll(() => agents.waiting).toBe(0);
  });

  test("gets the state of its waiting message when the daemon stops", async () => {
    const { clientOf, agents, listening } = await daemon();
    const { call } = await clientOf(tomsToken, revision);
    await call("message_send", { to: "anna", text: "Green?" });
    const waiting = call("message_wait", { messageId: "m1" });
    await expect.poll(() => agents.waiting).toBe(1);
    await listening.close();
    expect((await waiting).data).toMatchObject({ state: "waiting" });
  });

  test("waits at the same time as another, each for its own message", async () => {
    const { clientOf, agents } = await daemon();
    const [tom, anna] = [await clientOf(tomsToken, revision), await clientOf(annasToken, revision)];
    const ask = ({ call }: McpClient, to: string) => call("message_send", { to, text: `Green, ${to}?` });
    await ask(tom, "anna");
    await ask(anna, "tom");
    const waits = [tom.call("message_wait", { messageId: "m1" }), anna.call("message_wait", { messageId: "m2" })];
    await expect.poll(() => agents.waiting).toBe(2);
    await tom.call("message_send", { to: "anna", text: "Yes.", outcome: "answer", relayOfMessageId: "m2" });
    await anna.call("message_send", { to: "tom", text: "No.", outcome: "answer", relayOfMessageId: "m1" });
    expect((await Promise.all(waits)).map(({ data }) => data)).toMatchObject([
      { messageId: "m1", replies: [{ from: "anna", text: "No." }] },
      { messageId: "m2", replies: [{ from: "tom", text: "Yes." }] },
    ]);
  });
});

describe("authentication", () => {
  test.each([
    ["no token", {}, 401, "Tools require a member's token."],
    ["another scheme", { authorization: `Basic ${btoa(`tom:${tomsToken}`)}` }, 401, "Tools require a member's token."],
    ["the API's token", { authorization: `Bearer ${apiToken}` }, 401, "This is the API's token"],
    ["an unknown token", { authorization: "Bearer nobody" }, 401, "No member has this token"],
    ["another origin", { authorization: `Bearer ${tomsToken}`, origin: "https://evil.example" }, 403, "origin"],
  ])("%s is refused", async (_, headers, status, words) => {
    const { url } = await daemon();
    const answer = await post(url, headers as Record<string, string>);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: { message: expect.stringContaining(words) } });
  });

  test("another host is refused", async () => {
    const { ask } = await daemon();
    const headers = { host: "evil.example", authorization: `Bearer ${tomsToken}` };
    expect((await ask("/mcp", { method: "POST", json: listRequest, headers })).status).toBe(403);
  });

  test("a removed member's token is no longer valid", async () => {
    const { agents, clientOf } = await daemon();
    const { call } = await clientOf(tomsToken);
    agents.members.delete(tomsToken);
    await expect(call("team_list")).rejects.toThrow(/was removed/);
  });

  test("a member's token is valid for nothing else", async () => {
    const { ask } = await daemon();
    const headers = { authorization: `Bearer ${tomsToken}` };
    for (const path of ["/v1/lanes", "/metrics", "/v1/stream"]) expect((await ask(path, { headers })).status).toBe(401);
  });
});

describe("the endpoint", () => {
  test.each(["GET", "DELETE", "PUT"])("keeps no sessions: %s is answered with 405", async (method) => {
    const { url } = await daemon();
    const answer = await fetch(url, { method, headers: { authorization: `Bearer ${tomsToken}` } });
    expect(answer.status).toBe(405);
    expect(answer.headers.get("allow")).toBe("POST");
  });

  test("does not exist without agents", async () => {
    const { listening } = await served({ mounts: [] });
    const answer = await post(`${listening.url}/mcp`, { authorization: `Bearer ${apiToken}` });
    expect(answer.status).toBe(404);
  });

  test("has its own route in the metrics", async () => {
    const { clientOf, ask } = await daemon();
    await (await clientOf(tomsToken)).call("team_list");
    expect((await ask("/metrics")).body).toMatch(
      /waybill_http_requests_total\{method="POST",route="\/mcp",status="200"\} \d/,
    );
  });

  test.each([
    ["a body that is not JSON", "{"],
    ["JSON that is not JSON-RPC", "{}"],
  ])("refuses %s", async (_, body) => {
    const { url } = await daemon();
    const headers = {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${tomsToken}`,
    };
    const answer = await fetch(url, { method: "POST", headers, body });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ jsonrpc: "2.0", error: {} });
  });
});

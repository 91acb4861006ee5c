import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { TestAgents } from "../../../test/support/agents/agent-service.ts";
import { testAgents, tomsToken } from "../../../test/support/agents/agent-service.ts";
import { token as apiToken, served } from "../../../test/support/daemon/http-api.ts";
import { WaybillError } from "../../client/index.ts";
import { mcpMount } from "../../transports/mcp/mcp-mount.ts";
import type { IncomingCall } from "../../transports/mcp/mcp-server.ts";
import { checkToken, makeForwarder } from "./forward-calls.ts";

async function daemon(agents: TestAgents = testAgents(), port = 0) {
  return (await served({ mounts: [mcpMount(agents)], server: { closeMs: 50, port } })).listening;
}

function callOf(name: string, args: Record<string, unknown> = {}, signal = new AbortController().signal): IncomingCall {
  return { id: 1, name, args, signal };
}

const at = (url: () => string, token = tomsToken) => ({ url, token, version: "0.0.0" });

/** Accepts and counts requests, and breaks the connection for the first `times` of them. */
async function breakingServer(times: number, thenAt: string) {
  let requests = 0;
  const server = createServer((request) => {
    requests += 1;
    request.socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const broken = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: () => (requests < times ? broken : thenAt), requests: () => requests };
}

test("the daemon executes a call for the token's member", async () => {
  const agents = testAgents();
  const { url } = await daemon(agents);
  const forward = makeForwarder(at(() => url));
  const sent = await forward(callOf("message_send", { to: "anna", text: "Green?" }));
  expect(sent.structuredContent).toMatchObject({ messageId: "m1", to: "anna" });
  expect(agents.mails).toMatchObject([{ from: "tom" }]);
  const refused = await forward(callOf("message_send", { to: "anna" }));
  expect(refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("text is missing") }] });
  await expect(forward(callOf("message_snd"))).rejects.toThrow(/Did you mean message_send\?/);
});

test("a call that the daemon refuses returns a result that says why", async () => {
  const agents = testAgents();
  const { url } = await daemon(agents);
  const text = "x".repeat(3 * 1024 * 1024);
  const tooLarge = await makeForwarder(at(() => url))(callOf("message_send", { to: "anna", text }));
  expect(tooLarge).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("larger than 2097152 bytes") }],
  });
  agents.members.delete(tomsToken);
  const removed = await makeForwarder(at(() => url))(callOf("team_list"));
  expect(removed).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("was removed") }] });
});

test("a call waits for a daemon that does not listen yet", async () => {
  const { url } = await daemon();
  let asked = 0;
  const starting = () => {
    if (++asked < 3) throw new WaybillError({ code: "no_daemon", message: "The daemon is starting." });
    return url;
  };
  const note = await makeForwarder(at(starting))(callOf("notify_person", { text: "Hello." }));
  expect(note.structuredContent).toMatchObject({ to: "user" });
  expect(asked).toBe(3);
});

test("a send is repeated after a broken connection", async () => {
  const agents = testAgents();
  const { url } = await daemon(agents);
  const breaking = await breakingServer(2, url);
  const sent = await makeForwarder(at(breaking.url))(callOf("message_send", { to: "anna", text: "Green?" }));
  expect(sent.structuredContent).toMatchObject({ messageId: "m1" });
  expect(breaking.requests()).toBe(2);
});

test("a call that may have been executed and is not safe to repeat says so", async () => {
  const agents = testAgents();
  const { url } = await daemon(agents);
  const breaking = await breakingServer(1, url);
  const note = await makeForwarder(at(breaking.url))(callOf("notify_person", { text: "Hello." }));
  expect(note).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/cannot be reached.*This may or may not have been done: message_list/) }],
  });
  expect(agents.mails).toEqual([]);
});

test("a wait continues across a daemon restart", async () => {
  const agents = testAgents();
  const first = await daemon(agents);
  const forward = makeForwarder(at(() => first.url));
  await forward(callOf("message_send", { to: "anna", text: "Green?" }));
  const waiting = forward(callOf("message_wait", { messageId: "m1" }));
  await expect.poll(() => agents.waiting).toBe(1);
  await first.close();
  expect(agents.waiting).toBe(0);
  await daemon(agents, first.port);
  await expect.poll(() => agents.waiting).toBe(1);
  const anna = { kind: "member", team: "core", member: "anna" } as const;
  await agents.send(anna, { to: "tom", text: "Yes.", outcome: "answer", relayOfMessageId: "m1" });
  expect((await waiting).structuredContent).toMatchObject({ state: "answered", replies: [{ text: "Yes." }] });
});

test("a wait without a daemon ends in time, with the message still waiting", async () => {
  const { url, close } = await daemon();
  await close();
  const ended = await makeForwarder(at(() => url))(callOf("message_wait", { messageId: "m1", timeoutSeconds: 1 }));
  expect(ended.structuredContent).toMatchObject({
    state: "waiting",
    reason: expect.stringContaining("cannot be reached"),
  });
});

test("aborting a wait also ends it in the daemon", async () => {
  const agents = testAgents();
  const { url } = await daemon(agents);
  const forward = makeForwarder(at(() => url));
  await forward(callOf("message_send", { to: "anna", text: "Green?" }));
  const abort = new AbortController();
  const waiting = forward(callOf("message_wait", { messageId: "m1" }, abort.signal));
  await expect.poll(() => agents.waiting).toBe(1);
  abort.abort();
  await expect(waiting).rejects.toThrow();
  await expect.poll(() => agents.waiting).toBe(0);
});

test("a rejected token is reported at the start", async () => {
  const { url } = await daemon();
  const { signal } = new AbortController();
  await checkToken(
    at(() => url),
    signal,
  );
  await expect(
    checkToken(
      at(() => url, "nobody"),
      signal,
    ),
  ).rejects.toMatchObject({ code: "unauthorized" });
  await expect(
    checkToken(
      at(() => url, apiToken),
      signal,
    ),
  ).rejects.toThrow(/API's token/);
});

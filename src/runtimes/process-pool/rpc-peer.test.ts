/** The peer talks to real child processes: Node scripts that answer over their standard input and output. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import type { Json } from "../json-fields.ts";
import { JsonLineProcess } from "./json-line-process.ts";
import type { RpcPeerOptions } from "./rpc-peer.ts";
import { RpcError, RpcPeer } from "./rpc-peer.ts";

let directory = "";
const started: JsonLineProcess[] = [];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "rpc-peer-"));
});
afterEach(async () => {
  for (const { pid } of started) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
  await Promise.all(started.splice(0).map(({ ended }) => ended));
  rmSync(directory, { recursive: true });
});

/** Starts a program whose `answer(message, send)` is called for every line that it gets. */
async function peerOf(answer: string, options: Omit<RpcPeerOptions, "write"> = {}) {
  const path = join(directory, "program.mjs");
  const script = `
    import { createInterface } from "node:readline";
    const print = (text) => process.stdout.write(text + "\\n");
    const send = (message) => print(JSON.stringify({ jsonrpc: "2.0", ...message }));
    const answer = ${answer};
    createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line), send, print));`;
  writeFileSync(path, script);
  const lines: JsonLineProcess[] = [];
  const peer = new RpcPeer({ clock: systemClock, ...options, write: (line) => lines[0]?.write(line) });
  const program = await JsonLineProcess.start({
    kind: { name: "Program", code: "program", setting: "bin" },
    path: process.execPath,
    args: [path],
    directory,
    env: { PATH: process.env.PATH ?? "" },
    onLine: (line) => peer.receive(line),
    onEnd: (reason) => peer.end(reason),
  });
  lines.push(program);
  started.push(program);
  return { peer, program };
}

const echo = "({ id, method, params }, send) => send({ id, result: { method, ...params } })";

test("each request gets its own response, in whatever order responses come", async () => {
  const late = `(message, send) => {
    const wait = message.params.wait;
    setTimeout(() => send({ id: message.id, result: { wait } }), wait);
  }`;
  const { peer } = await peerOf(late);
  const order: unknown[] = [];
  const ask = async (wait: number) => order.push((await peer.request("wait", { wait })).wait);
  await Promise.all([ask(300), ask(1)]);
  expect(order).toEqual([1, 300]);
});

test("a refused request rejects with the program's error", async () => {
  const { peer } = await peerOf(
    `({ id }, send) => send({ id, error: { code: -32000, message: "busy", data: { turn: 1 } } })`,
  );
  const error = await peer.request("start").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(RpcError);
  expect(error).toMatchObject({ message: "busy", code: -32000, data: { turn: 1 } });
});

test("a request without a response in time rejects, and a response that comes later is ignored", async () => {
  const { peer } = await peerOf(`({ id, method }, send) =>
    setTimeout(() => send({ id, result: { method } }), method === "slow" ? 400 : 0)`);
  await expect(peer.request("slow", {}, { timeoutMs: 50 })).rejects.toThrow("slow got no response within 50 ms.");
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await peer.request("quick")).toEqual({ method: "quick" });
});

test("when the program ends, every open request rejects with the reason, and so does a later one", async () => {
  const { peer, program } = await peerOf(`({ method }) => {
    if (method === "die") { console.error("out of paper"); process.exit(3); }
  }`);
  const requests = ["one", "two", "die"].map((method) => peer.request(method));
  const outcomes = await Promise.allSettled(requests);
  await program.ended;
  const reason = "Program ended with exit code 3. Its last output: out of paper";
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: "rejected", reason: { message: reason } });
  await expect(peer.request("four")).rejects.toThrow(reason);
});

test("garbage is reported as it came, and the conversation goes on", async () => {
  const garbage: [string, string][] = [];
  const { peer } = await peerOf(
    `({ id }, send, print) => {
      print("Warning: {not json");
      print("[1, 2]");
      print('{"id": {"nested": true}, "result": 1}');
      send({ id: 7000, result: {} });
      send({ id, result: { done: true } });
    }`,
    { onUnparsed: (reason, line) => garbage.push([reason, line]) },
  );
  expect(await peer.request("go")).toEqual({ done: true });
  expect(garbage).toEqual([
    ["no JSON", "Warning: {not json"],
    ["no JSON", "[1, 2]"],
    ["neither a request nor a response", '{"id": {"nested": true}, "result": 1}'],
  ]);
});

test("a flood of notifications between request and response is passed on, and none is kept", async () => {
  const count = 200_000;
  let received = 0;
  let newest: Json = {};
  const { peer } = await peerOf(
    `({ id }, send) => {
      for (let number = 1; number <= ${count}; number += 1) send({ method: "delta", params: { number, text: "x".repeat(200) } });
      send({ id, result: { sent: true } });
    }`,
    {
      onNotification: (_method, params) => {
        received += 1;
        newest = params;
      },
    },
  );
  const before = process.memoryUsage().heapUsed;
  expect(await peer.request("flood")).toEqual({ sent: true });
  expect({ received, number: newest.number }).toEqual({ received: count, number: count });
  // The flood is 50 MB of text.
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(200 * 1024 * 1024);
});

test("no more requests are open at a time than allowed", async () => {
  const { peer } = await peerOf("() => {}", { maxOpen: 2 });
  const open = [peer.request("one"), peer.request("two")];
  await expect(peer.request("three")).rejects.toThrow("2 requests are waiting for a response, so three was not sent.");
  peer.end("enough");
  expect((await Promise.allSettled(open)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("the program's own requests are answered: by the client, with its error, or as unsupported", async () => {
  const program = `(message, send) => {
    if (message.method === "start") {
      globalThis.start = message.id;
      globalThis.outcomes = [];
      for (const [id, method] of [["a", "allow"], ["b", "fail"], ["c", "respond"]]) send({ id, method, params: { call: id } });
    } else {
      outcomes.push({ id: message.id, result: message.result, error: message.error });
      if (outcomes.length === 3) send({ id: start, result: { outcomes } });
    }
  }`;
  const { peer } = await peerOf(program, {
    onRequest: ({ id, method, params }) => {
      if (method === "fail") throw new Error("cannot decide");
      if (method === "allow") return peer.respond(id, { allowed: params.call });
      peer.refuse(id, { code: -32601, message: "respond is not supported." });
    },
  });
  expect(await peer.request("start")).toEqual({
    outcomes: [
      { id: "a", result: { allowed: "a" } },
      { id: "b", error: { code: -32603, message: "cannot decide" } },
      { id: "c", error: { code: -32601, message: "respond is not supported." } },
    ],
  });
});

test("a client that handles no requests refuses them, so that no program waits forever", async () => {
  const { peer } = await peerOf(`(message, send) => {
    if (message.method) { globalThis.first = message.id; send({ id: "ask", method: "may_i" }); }
    else send({ id: first, result: { error: message.error } });
  }`);
  expect(await peer.request("start")).toEqual({ error: { code: -32601, message: "may_i is not supported." } });
});

test("notifications reach the program and need no response", async () => {
  const { peer } = await peerOf(`(message, send) => {
    globalThis.seen = [...(globalThis.seen ?? []), message.method];
    if (message.id !== undefined) send({ id: message.id, result: { seen } });
  }`);
  peer.notify("initialized");
  expect(await peer.request("list")).toEqual({ seen: ["initialized", "list"] });
});

test("a result that is no object counts as an empty one", async () => {
  const { peer } = await peerOf("({ id }, send) => send({ id, result: null })");
  expect(await peer.request("start")).toEqual({});
});

test("requests and parameters arrive as they were sent", async () => {
  const { peer } = await peerOf(echo);
  expect(await peer.request("turn/start", { text: "line\nbreak \u2028 end" })).toEqual({
    method: "turn/start",
    text: "line\nbreak \u2028 end",
  });
});

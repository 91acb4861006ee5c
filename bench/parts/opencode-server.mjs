/** The real OpenCode server with its own home and the scripted model as its only provider. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { createParser } from "eventsource-parser";
import { endWithThisProcess } from "./end-with-this-process.mjs";
import { freePort } from "./free-port.mjs";
import { scriptedModelModules } from "./modules.mjs";

const program = fileURLToPath(new URL("../../node_modules/.opencode/node_modules/.bin/opencode", import.meta.url));
const password = "bench";
export const headers = { authorization: `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` };

/** `work` is the directory of its sessions; a new one by default. */
export async function startOpencodeServer({ directory, modelUrl, work = join(directory, "work") }) {
  const { isolatedHome, scriptedProvider } = await scriptedModelModules();
  const home = join(directory, "opencode-home");
  for (const path of [home, work]) mkdirSync(path, { recursive: true });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(program, ["serve", "--hostname", "127.0.0.1", "--port", String(port)], {
    cwd: work,
    // Its own process group: the installed command may start the server as a child.
    detached: true,
    stdio: "ignore",
    env: {
      PATH: process.env.PATH,
      ...isolatedHome(home),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(scriptedProvider(modelUrl)),
      OPENCODE_SERVER_PASSWORD: password,
    },
  });
  endWithThisProcess(child, { group: true });
  await once(child, "spawn");
  const ended = once(child, "exit");
  const started = performance.now();
  const stop = async (signal = "SIGKILL") => {
    process.kill(-child.pid, signal);
    await ended;
  };
  while (!(await isHealthy(url))) {
    if (child.exitCode !== null || performance.now() - started > 60_000) throw new Error("OpenCode did not start");
    await wait(20);
  }
  return { url, work, pid: child.pid, readyMs: performance.now() - started, stop };
}

async function isHealthy(url) {
  try {
    // A request during the server's start may never get an answer.
    return (await fetch(`${url}/global/health`, { headers, signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}

/** Calls `onEvent` with every event of the server, for all directories, until the signal is aborted. */
export async function followOpencode(url, onEvent, signal) {
  const response = await fetch(`${url}/global/event`, { headers, signal });
  const parser = createParser({ onEvent: ({ data }) => onEvent(JSON.parse(data).payload) });
  const decoder = new TextDecoder();
  const reading = async () => {
    for await (const chunk of response.body) parser.feed(decoder.decode(chunk, { stream: true }));
  };
  reading().catch((error) => {
    if (!signal.aborted) throw error;
  });
}

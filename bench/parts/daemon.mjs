/** The built program with scripted agents, as a user runs it: a daemon with its own home. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { endWithThisProcess } from "./end-with-this-process.mjs";

const program = fileURLToPath(new URL("../../bin/waybill", import.meta.url));

/** `lanes` are scripts of stub agents, by lane. */
export async function startDaemon({ directory, lanes }) {
  const home = join(directory, "home");
  const work = join(directory, "work");
  for (const path of [home, work]) mkdirSync(path, { recursive: true, mode: 0o700 });
  const config = join(directory, "config.json");
  const list = Object.entries(lanes).map(([id, script]) => ({ id, directory: work, script }));
  writeFileSync(config, JSON.stringify({ modelProvider: "stub", lanes: list }));
  const { PATH } = process.env;
  const env = { PATH, HOME: directory, WAYBILL_HOME: home, WAYBILL_CONFIG: config, PORT: "0" };
  const child = spawn(process.execPath, [program, "up"], { env, stdio: ["ignore", "ignore", "pipe"] });
  endWithThisProcess(child);
  let said = "";
  child.stderr.on("data", (chunk) => (said += chunk));
  const ended = once(child, "exit");
  const { url, workerPid } = await listening(join(home, "daemon.json"), child, () => said);
  const headers = { authorization: `Bearer ${readFileSync(join(home, "token"), "utf8").trim()}` };
  return {
    url,
    workerPid,
    headers,
    async send(id, lane, text) {
      const body = JSON.stringify({ messageId: id, to: { lane }, from: "user", text });
      const json = { ...headers, "content-type": "application/json" };
      const answer = await fetch(`${url}/v1/messages`, { method: "POST", headers: json, body });
      if (!answer.ok) throw new Error(`Sending the message returned status ${answer.status}: ${await answer.text()}`);
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

async function listening(path, child, said) {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The daemon ended: ${said()}`);
    try {
      const file = JSON.parse(readFileSync(path, "utf8"));
      if (file.url !== null && (await fetch(`${file.url}/ready`)).ok) return file;
    } catch (error) {
      if (error.code !== "ENOENT") throw error;
    }
    await wait(20);
  }
}

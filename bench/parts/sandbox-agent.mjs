/** The server of `sandbox-agent`, which also drives coding agents over HTTP. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { installPackages, peersDirectory } from "../harness/peers.mjs";
import { endWithThisProcess } from "./end-with-this-process.mjs";
import { freePort } from "./free-port.mjs";

export async function startSandboxAgent({ directory, progress }) {
  await installPackages(["sandbox-agent"], progress);
  mkdirSync(directory, { recursive: true });
  const port = await freePort();
  const program = join(peersDirectory, "node_modules", ".bin", "sandbox-agent");
  const started = performance.now();
  const child = spawn(program, ["server", "--no-token", "--no-telemetry", "--port", String(port)], {
    cwd: directory,
    env: { PATH: process.env.PATH, HOME: directory },
    // Its own process group: the installed command starts the server as a child.
    detached: true,
    stdio: "ignore",
  });
  endWithThisProcess(child, { group: true });
  const ended = once(child, "exit");
  while (!(await answers(`http://127.0.0.1:${port}/v1/health`))) {
    if (child.exitCode !== null || performance.now() - started > 30_000) throw new Error("sandbox-agent did not start");
    await wait(5);
  }
  const readyMs = performance.now() - started;
  const stop = async () => {
    process.kill(-child.pid, "SIGKILL");
    await ended;
  };
  return { pid: child.pid, readyMs, stop };
}

async function answers(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(1000) })).ok;
  } catch {
    return false;
  }
}

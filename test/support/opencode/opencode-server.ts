/**
 * A real OpenCode server with its own home and the scripted model as its only provider. When `stop` has settled, none of
 * its processes is running.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isolatedHome, scriptedProvider } from "@waybill/scripted-model";
import { freePort } from "../daemon/free-port.ts";

export const opencodeBin = fileURLToPath(
  new URL("../../../node_modules/.opencode/node_modules/.bin/opencode", import.meta.url),
);

export type OpencodeOptions = {
  /** The scripted model's address, without `/v1`. */
  modelUrl: string;
  /** Its working directory. Sessions may have other directories. */
  directory?: string;
  /** For a server that should restart on the same port. */
  port?: number;
  /** For a server that should find an earlier server's sessions. `stop` then keeps it. */
  home?: string;
  /** With a password, every request needs `authorization`. */
  password?: string;
  env?: Record<string, string>;
  /** More of OpenCode's own configuration, such as `permission`. */
  config?: Record<string, unknown>;
};

export type OpencodeServer = {
  url: string;
  port: number;
  pid: number;
  home: string;
  directory: string;
  /** The value of the header, or null if no password is set. */
  authorization: string | null;
  /** A JSON call with a timeout. Throws unless the status is a success. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  /** Settles when the process has exited, however it did. */
  ended: Promise<void>;
  /** Sent to the whole process group, like a crash. Tools that it runs may survive. */
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
};

/** An environment in which OpenCode neither finds the developer's settings nor uses the network. */
export function opencodeEnvironment(home: string): Record<string, string> {
  const { PATH = "", TMPDIR } = process.env;
  return { PATH, ...(TMPDIR ? { TMPDIR } : {}), ...isolatedHome(home) };
}

export async function startOpencode(options: OpencodeOptions): Promise<OpencodeServer> {
  const home = options.home ?? realpathSync(mkdtempSync(join(tmpdir(), "waybill-opencode-")));
  const directory = options.directory ?? join(home, "work");
  mkdirSync(directory, { recursive: true });
  const port = options.port ?? (await freePort());
  const url = `http://127.0.0.1:${port}`;
  const { password } = options;
  const authorization = password ? `Basic ${Buffer.from(`opencode:${password}`).toString("base64")}` : null;
  const call = <T>(method: string, path: string, body?: unknown) =>
    request<T>(`${url}${path}`, method, authorization, body);

  const child = spawnServer(options, { home, directory, port });
  // If the program does not exist, it fails with that error.
  await once(child, "spawn");
  const pid = child.pid as number;
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk) => {
      output += chunk;
    });
  }
  const ended = once(child, "close").then(() => {});
  const stop = async () => {
    await endGroup(pid, ended);
    if (options.home === undefined) rmSync(home, { recursive: true, force: true });
  };
  try {
    await healthy(call, child);
  } catch (error) {
    await stop();
    throw new Error(`OpenCode did not come up: ${output}`, { cause: error });
  }
  const kill = (signal: NodeJS.Signals) => signalGroup(pid, signal);
  return { url, port, pid, home, directory, authorization, call, ended, kill, stop };
}

function spawnServer(options: OpencodeOptions, place: { home: string; directory: string; port: number }) {
  const config = { ...scriptedProvider(options.modelUrl), ...options.config };
  return spawn(opencodeBin, ["serve", "--hostname", "127.0.0.1", "--port", String(place.port)], {
    cwd: place.directory,
    // Its own process group, so that all of it can be killed: the installed command may start the server as a child.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...opencodeEnvironment(place.home),
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      ...(options.password ? { OPENCODE_SERVER_PASSWORD: options.password } : {}),
      ...options.env,
    },
  });
}

/** Each probe has its own timeout: a request during the server's start may never get an answer. */
async function healthy(call: OpencodeServer["call"], child: ChildProcess): Promise<void> {
  const deadline = Date.now() + 120_000;
  for (;;) {
    try {
      return void (await call("GET", "/global/health"));
    } catch (error) {
      if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) throw error;
      await wait(50);
    }
  }
}

async function request<T>(url: string, method: string, authorization: string | null, body: unknown): Promise<T> {
  const response = await fetch(url, {
    method,
    signal: AbortSignal.timeout(url.endsWith("/global/health") ? 1_000 : 60_000),
    headers: { "Content-Type": "application/json", ...(authorization ? { Authorization: authorization } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${text.slice(0, 300)}`);
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

/** SIGTERM first, so that it ends the tools that it runs. */
async function endGroup(pid: number, ended: Promise<void>): Promise<void> {
  signalGroup(pid, "SIGTERM");
  const patience = new AbortController();
  const late = wait(2_000, undefined, { signal: patience.signal }).catch(() => {});
  await Promise.race([ended, late]);
  patience.abort();
  signalGroup(pid, "SIGKILL");
  await ended;
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Inspects everything that a start depends on. Changes nothing. */
import { accessSync, constants, existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { createServer } from "node:net";
import { dirname } from "node:path";
import type { z } from "zod";
import { resolveLaneDirectory } from "../../daemon/config/allowed-directory.ts";
import type { Config } from "../../daemon/config/config.ts";
import { loadConfig, readConfig } from "../../daemon/config/config.ts";
import { fileSchema } from "../../daemon/config/settings.ts";
import type { Origins } from "../../daemon/config/values.ts";
import type { DaemonFile } from "../../daemon/supervisor/daemon-file.ts";
import { readDaemonFile } from "../../daemon/supervisor/daemon-file.ts";
import { storeAt } from "../../daemon/wiring/store-at.ts";
import { isToken } from "../../daemon/worker/token.ts";
import { AppError, messageOf } from "../../platform/app-error.ts";
import type { Check } from "../../platform/doctor-check.ts";
import { tokenPath, waybillHome } from "../../platform/home.ts";
import { networkFilesystemOf } from "../../platform/network-filesystem.ts";
import { packageManifest } from "../../platform/package-files.ts";
import { metaOf } from "../../platform/setting-types.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";
import type { ConfiguredFacts, DirectoryFacts, Facts, LaneFacts, PortFacts, TokenFacts } from "./facts.ts";
import { inspectTelegram } from "./telegram-facts.ts";

export async function inspect(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Facts> {
  const home = waybillHome(env);
  return {
    now: Date.now(),
    node: { version: process.versions.node, needed: neededNode() },
    home: inspectDirectory(home),
    token: inspectToken(tokenPath(home)),
    configured: await inspectConfigured(env, signal),
  };
}

function neededNode(): string {
  return packageManifest().engines.node.replace(/^>=/, "");
}

async function inspectConfigured(env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Facts["configured"]> {
  try {
    return { ok: true, facts: await factsOf(readConfig(env), env, signal) };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, error };
    throw error;
  }
}

async function factsOf(
  { origins, ...config }: Config & { origins: Origins },
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ConfiguredFacts> {
  const { profile } = config;
  const lanes = profile.kind === "demo" ? [] : config.lanes.map((lane) => inspectLane(lane, config, env));
  // If the lanes' directories are fine, find everything else that a start would reject, the way a start does it.
  if (lanes.every(({ problem }) => problem === null)) loadConfig(env);
  const settings = Object.entries<z.ZodType>(fileSchema.shape);
  return {
    config,
    fileMode: profile.kind === "demo" ? null : statSync(profile.path).mode,
    fileHoldsSecret: settings.some(([key, schema]) => metaOf(schema).secret && origins[key]?.kind === "file"),
    runtimeChecks: await inspectRuntimes(config, lanes, env, signal),
    lanes,
    telegram: await inspectTelegram(config, env, signal),
    store: await storeAt(config.storePath).inspect(),
    ...(await inspectPorts(config)),
  };
}

/** Each runtime that a lane uses checks itself. */
async function inspectRuntimes(
  { lanes, runtimeSettings, stateDirectory }: Config,
  facts: readonly LaneFacts[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Check[]> {
  const unusable = new Set(facts.filter(({ problem }) => problem !== null).map(({ id }) => id));
  const checks = runtimeDescriptors.map(async ({ kind, doctor }) => {
    const own = lanes.filter(({ runtime }) => runtime === kind);
    if (own.length === 0) return [];
    const asked = own.map((lane) => (unusable.has(lane.id) ? { ...lane, directory: null } : lane));
    try {
      return await doctor(runtimeSettings, { env, stateDirectory, lanes: asked, signal });
    } catch (error) {
      // An interrupted doctor prints nothing.
      if (signal.aborted) return [];
      throw error;
    }
  });
  return (await Promise.all(checks)).flat();
}

function inspectLane(
  { id, directory }: { id: string; directory: string },
  config: Config,
  env: NodeJS.ProcessEnv,
): LaneFacts {
  try {
    const rules = { allowed: config.allowedDirectories, home: config.home };
    return { id, directory: resolveLaneDirectory(directory, rules, env), problem: null };
  } catch (error) {
    if (error instanceof AppError) return { id, directory, problem: error };
    throw error;
  }
}

function inspectDirectory(path: string): DirectoryFacts {
  const network = networkFilesystemOf(path);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) {
    const state = canMake(dirname(path)) ? "can be made" : "cannot be made";
    return { path, state, writable: false, mode: null, network };
  }
  const state = found.isDirectory() ? "there" : "no directory";
  return { path, state, writable: isWritable(path), mode: found.mode, network };
}

function canMake(parent: string): boolean {
  if (existsSync(parent)) return statSync(parent).isDirectory() && isWritable(parent);
  return dirname(parent) !== parent && canMake(dirname(parent));
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function inspectToken(path: string): TokenFacts {
  const found = lstatSync(path, { throwIfNoEntry: false });
  const isFile = found?.isFile() ?? false;
  return { path, mode: found?.mode ?? null, isFile, holdsToken: isFile ? holdsToken(path) : null };
}

function holdsToken(path: string): boolean | null {
  try {
    return isToken(readFileSync(path, "utf8").trim());
  } catch {
    // The mode shows who may read it; a start would report the reason.
    return null;
  }
}

type PortConfig = Pick<Config, "host" | "port" | "home" | "opencodeApi">;

/** Whether the daemon could listen on its addresses, and if not, which process does. */
async function inspectPorts(config: PortConfig): Promise<Pick<ConfiguredFacts, "port" | "opencodeApiPort">> {
  const { host, port, home, opencodeApi } = config;
  const file = runningDaemon(home);
  const running = (port: number | null) => (file && port !== null ? { pid: file.supervisorPid, port } : null);
  const apiUrl = file?.opencodeApiUrl ?? null;
  const apiPort = apiUrl === null ? null : Number(new URL(apiUrl).port);
  return {
    port: await inspectPort({ host, port }, running(file?.port ?? null)),
    opencodeApiPort: opencodeApi && (await inspectPort(opencodeApi, running(apiPort))),
  };
}

async function inspectPort(
  { host, port }: { host: string; port: number },
  running: { pid: number; port: number } | null,
): Promise<PortFacts> {
  const address = { host, port };
  if (running && (port === 0 || running.port === port)) return { ...address, state: "ours", pid: running.pid };
  if (port === 0) return { ...address, state: "any" };
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve({ ...address, state: "taken" });
      else resolve({ ...address, state: "refused", why: messageOf(error) });
    });
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve({ ...address, state: "free" })));
  });
}

/** The daemon that the file names, if its process is alive. */
function runningDaemon(home: string): DaemonFile | null {
  const file = readDaemonFile(home);
  return file && isAlive(file.supervisorPid) ? file : null;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/**
 * Finds the daemon: the one that WAYBILL_URL and WAYBILL_TOKEN name, or the one that runs on the state in WAYBILL_HOME.
 * The token of a state directory is sent to its own daemon only.
 */
import { readFileSync } from "node:fs";
import { AppError } from "../app-error.ts";
import { WaybillClient, WaybillError } from "../client/index.ts";
import { daemonFilePath, tokenPath, waybillHome } from "../home.ts";
import { httpFetch } from "../http-fetch.ts";
import type { CommandContext } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { waitWhileStarting } from "./wait-for-daemon.ts";

/** A first start may have to wait for an agent program. */
const startTimeoutMs = 30_000;

/** Runs a command with a client of the daemon, once that listens. Ctrl-C aborts every request. */
export async function withDaemon(
  context: CommandContext,
  run: (client: WaybillClient) => Promise<number>,
): Promise<number> {
  const { env, interrupted } = context;
  await waitForStart(context);
  const client = new WaybillClient({ ...findDaemon(env), fetch: httpFetch, signal: interrupted });
  try {
    return await run(client);
  } catch (error) {
    if (interrupted.aborted) return exitCodes.interrupted;
    throw error;
  }
}

/** Resolves at once unless a daemon is starting here. */
export async function waitForStart({ env, interrupted, json, printNote }: CommandContext): Promise<void> {
  const isStarting = () => runningDaemon(env)?.url === null;
  if (env.WAYBILL_URL || !isStarting()) return;
  if (!json) printNote("The daemon is starting. Waiting for it.");
  const directory = waybillHome(env);
  await waitWhileStarting({ directory, isStarting, timeoutMs: startTimeoutMs, signal: interrupted });
}

export function findDaemon(env: NodeJS.ProcessEnv): { url: string | (() => string); token: string } {
  const url = findDaemonUrl(env);
  if (env.WAYBILL_URL) return { url, token: tokenFromEnvironment(env) };
  return { url, token: env.WAYBILL_TOKEN || tokenFromFile(env) };
}

/** For those who have a token of their own. */
export function findDaemonUrl(env: NodeJS.ProcessEnv): string | (() => string) {
  if (env.WAYBILL_URL) return checkedUrl(env.WAYBILL_URL);
  if (runningDaemon(env) === null) throw noDaemon(env);
  // Read for each request: it has no address while it starts, and may come back at another port.
  return () => listeningUrl(env);
}

function listeningUrl(env: NodeJS.ProcessEnv): string {
  const daemon = runningDaemon(env);
  if (daemon === null) throw new WaybillError(noDaemon(env));
  if (daemon.url !== null) return daemon.url;
  throw new WaybillError({
    code: "no_daemon",
    message: "The daemon is starting and does not listen yet.",
    hint: "Try again in a moment; its log says what it waits for.",
  });
}

function checkedUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new AppError({
    code: "bad_url",
    message: `WAYBILL_URL is not an address: ${url}`,
    hint: "It looks like http://127.0.0.1:7717.",
  });
}

function tokenFromEnvironment(env: NodeJS.ProcessEnv): string {
  if (env.WAYBILL_TOKEN) return env.WAYBILL_TOKEN;
  throw new AppError({
    code: "no_token",
    message: "WAYBILL_URL is set and WAYBILL_TOKEN is not.",
    hint: "Set WAYBILL_TOKEN to the content of the file `token` in that daemon's WAYBILL_HOME.",
  });
}

function tokenFromFile(env: NodeJS.ProcessEnv): string {
  const path = tokenPath(waybillHome(env));
  const token = readIfExists(path)?.trim();
  if (token) return token;
  throw new AppError({
    code: "no_token",
    message: `There is no token in ${path}.`,
    hint: "The daemon writes it when it starts: restart it, and run this as the same user.",
  });
}

/** Null when no daemon runs, judging by its file and its processes. */
function runningDaemon(env: NodeJS.ProcessEnv): { url: string | null } | null {
  const { url, supervisorPid, workerPid } = parseObject(readIfExists(daemonFilePath(waybillHome(env))) ?? "{}");
  // The file of a daemon that was killed names processes that have ended.
  const isRunning = [supervisorPid, workerPid].some((pid) => typeof pid === "number" && isAlive(pid));
  return isRunning ? { url: typeof url === "string" ? url : null } : null;
}

function parseObject(json: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function readIfExists(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw new AppError({
      code: "unreadable_state",
      message: `${path} cannot be read.`,
      hint: "Run this as the user that the daemon runs as, or set WAYBILL_HOME.",
      cause,
    });
  }
}

function noDaemon(env: NodeJS.ProcessEnv): AppError {
  return new AppError({
    code: "no_daemon",
    message: `No daemon is running here (there is none in ${daemonFilePath(waybillHome(env))}).`,
    hint: "Start it with `waybill up`, or set WAYBILL_HOME to where it keeps its state.",
  });
}

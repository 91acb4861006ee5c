/**
 * Finds the daemon: the one given by WAYBILL_URL and WAYBILL_TOKEN, or the one whose state is in WAYBILL_HOME. The token in
 * a state directory is sent only to that directory's daemon.
 */
import { readFileSync, watch } from "node:fs";
import { WaybillClient, WaybillError } from "../client/index.ts";
import { AppError } from "../platform/app-error.ts";
import { abortedAfter } from "../platform/clock.ts";
import { daemonFilePath, tokenPath, waybillHome } from "../platform/home.ts";
import { httpFetch } from "../platform/http-fetch.ts";
import type { CommandContext } from "./command.ts";
import { exitCodes } from "./errors.ts";

/** Long, because a first start may have to wait for an agent program. */
const startTimeoutMs = 30_000;

/** Runs a command with a client once the daemon listens. Ctrl-C aborts every request. */
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

/** Resolves immediately unless a daemon is starting here. */
export async function waitForStart({ env, interrupted, json, printNote }: CommandContext): Promise<void> {
  const isStarting = () => runningDaemon(env)?.url === null;
  if (env.WAYBILL_URL || !isStarting()) return;
  if (!json) printNote("Waiting for the daemon to start.");
  const directory = waybillHome(env);
  await waitWhileStarting({ directory, isStarting, timeoutMs: startTimeoutMs, signal: interrupted });
}

export function findDaemon(env: NodeJS.ProcessEnv): { url: string | (() => string); token: string } {
  const url = findDaemonUrl(env);
  if (env.WAYBILL_URL) return { url, token: tokenFromEnvironment(env) };
  return { url, token: env.WAYBILL_TOKEN || tokenFromFile(env) };
}

/** For callers that bring their own token. */
export function findDaemonUrl(env: NodeJS.ProcessEnv): string | (() => string) {
  if (env.WAYBILL_URL) return checkedUrl(env.WAYBILL_URL);
  if (runningDaemon(env) === null) throw noDaemon(env);
  // Read for each request: the daemon has no address while it starts, and may come back on another port.
  return () => listeningUrl(env);
}

function listeningUrl(env: NodeJS.ProcessEnv): string {
  const daemon = runningDaemon(env);
  if (daemon === null) throw new WaybillError(noDaemon(env));
  if (daemon.url !== null) return daemon.url;
  throw new WaybillError({
    code: "no_daemon",
    message: "The daemon is still starting.",
    hint: "Try again in a moment. Its log says what it is waiting for.",
  });
}

function checkedUrl(url: string): string {
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw new AppError({
    code: "bad_url",
    message: `WAYBILL_URL is not a valid address: ${url}`,
    hint: "Use an address like http://127.0.0.1:7717.",
  });
}

function tokenFromEnvironment(env: NodeJS.ProcessEnv): string {
  if (env.WAYBILL_TOKEN) return env.WAYBILL_TOKEN;
  throw new AppError({
    code: "no_token",
    message: "WAYBILL_URL is set, but WAYBILL_TOKEN is not.",
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
    hint: "The daemon writes it when it starts. Restart it, and run this as the same user.",
  });
}

export function isDaemonRunning(env: NodeJS.ProcessEnv): boolean {
  return runningDaemon(env) !== null;
}

/** Null if no daemon is running, judging by its file and its processes. */
function runningDaemon(env: NodeJS.ProcessEnv): { url: string | null } | null {
  const { url, supervisorPid, workerPid } = parseObject(readIfExists(daemonFilePath(waybillHome(env))) ?? "{}");
  // A killed daemon leaves a file that names dead processes.
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
    message: `No daemon is running (according to ${daemonFilePath(waybillHome(env))}).`,
    hint: "Start it with `waybill up`, or set WAYBILL_HOME to its state directory.",
  });
}

type StartWait = { directory: string; isStarting: () => boolean; timeoutMs: number; signal: AbortSignal };

/** Also resolves at the timeout or when the signal is aborted; the caller checks which. */
export function waitWhileStarting({ directory, isStarting, timeoutMs, signal }: StartWait): Promise<void> {
  return new Promise((resolve) => {
    // Watch before the first check, so that no change in between is missed.
    const watcher = watch(directory, { signal: abortedAfter(timeoutMs, signal) });
    const check = () => {
      if (!isStarting()) watcher.close();
    };
    watcher.on("change", check).on("error", () => watcher.close());
    watcher.on("close", resolve);
    check();
  });
}

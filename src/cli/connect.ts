/**
 * Finds the daemon: the one that WAYBILL_URL and WAYBILL_TOKEN name, or the one that runs on the state in WAYBILL_HOME.
 * The token of a state directory goes to its own daemon and nowhere else.
 */
import { readFileSync } from "node:fs";
import { AppError } from "../app-error.ts";
import { WaybillClient, WaybillError } from "../client/index.ts";
import { daemonFilePath, tokenPath, waybillHome } from "../home.ts";
import type { CommandContext } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { whileStarting } from "./starting-daemon.ts";

/** A first start may have to wait for an agent program. */
const maxStartMs = 30_000;

/** Runs a command that talks to the daemon, once that listens. Ctrl-C ends whatever it waits for. */
export async function talk(context: CommandContext, run: (client: WaybillClient) => Promise<number>): Promise<number> {
  await untilListening(context);
  const client = new WaybillClient({ ...findDaemon(context.env), signal: context.interrupted });
  try {
    return await run(client);
  } catch (error) {
    if (context.interrupted.aborted) return exitCodes.interrupted;
    throw error;
  }
}

async function untilListening({ env, interrupted: signal, json, remark }: CommandContext): Promise<void> {
  const isStarting = () => running(env)?.url === null;
  if (env.WAYBILL_URL || !isStarting()) return;
  if (!json) remark("The daemon is starting. Waiting for it.");
  await whileStarting({ directory: waybillHome(env), isStarting, ms: maxStartMs, signal });
}

export function findDaemon(env: NodeJS.ProcessEnv): { url: string | (() => string); token: string } {
  if (env.WAYBILL_URL) return { url: checkedUrl(env.WAYBILL_URL), token: namedToken(env) };
  if (running(env) === null) throw noDaemon(env);
  // Its address is asked for each time: it has none while it starts, and may come back at another port.
  return { url: () => listeningUrl(env), token: env.WAYBILL_TOKEN || readToken(env) };
}

function listeningUrl(env: NodeJS.ProcessEnv): string {
  const daemon = running(env);
  if (daemon === null) throw new WaybillError(noDaemon(env));
  if (daemon.url !== null) return daemon.url;
  throw new WaybillError({
    code: "no_daemon",
    message: "The daemon is starting and does not listen yet.",
    hint: "Try again in a moment; its log says what it waits for.",
  });
}

function checkedUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed !== null && /^https?:$/.test(parsed.protocol)) return url;
  throw new AppError({
    code: "bad_url",
    message: `WAYBILL_URL is not an address: ${url}`,
    hint: "It looks like http://127.0.0.1:7717.",
  });
}

function namedToken(env: NodeJS.ProcessEnv): string {
  if (env.WAYBILL_TOKEN) return env.WAYBILL_TOKEN;
  throw new AppError({
    code: "no_token",
    message: "WAYBILL_URL is set and WAYBILL_TOKEN is not.",
    hint: "Set WAYBILL_TOKEN to what stands in the file `token` of that daemon's WAYBILL_HOME.",
  });
}

function readToken(env: NodeJS.ProcessEnv): string {
  const token = readIfThere(tokenPath(waybillHome(env)))?.trim();
  if (token) return token;
  throw new AppError({
    code: "no_token",
    message: `There is no token in ${tokenPath(waybillHome(env))}.`,
    hint: "The daemon writes it when it starts: restart it, and run this as the same user.",
  });
}

/** Null when there is no daemon, as far as one can tell without asking it. */
function running(env: NodeJS.ProcessEnv): { url: string | null } | null {
  const file = readIfThere(daemonFilePath(waybillHome(env)));
  if (file === null) return null;
  const { url, supervisorPid, workerPid } = parsed(file);
  // What was left behind by a daemon that was killed names processes that are gone.
  const alive = [supervisorPid, workerPid].some((pid) => typeof pid === "number" && isAlive(pid));
  return alive ? { url: typeof url === "string" ? url : null } : null;
}

function parsed(file: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(file);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    // Half a file: whoever wrote it died over it.
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

function readIfThere(path: string): string | null {
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

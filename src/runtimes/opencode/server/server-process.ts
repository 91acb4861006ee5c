/**
 * Starts our own `opencode serve`: writes its record first, then waits until the server answers. It prints to a file
 * instead of a pipe, since it has to survive when the daemon is killed, and a broken pipe would end it.
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, copyFileSync, openSync, readFileSync, renameSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { AppError, messageOf } from "../../../platform/app-error.ts";
import type { AgentEnvironment } from "../../process/agent-environment.ts";
import { nonceVariable, redactSecrets } from "../../process/agent-environment.ts";
import { isAlive, processTable } from "../../process/process-table.ts";
import { endProcessTree } from "../../process/process-tree.ts";
import { stderrTail } from "../../process-pool/program-output.ts";
import { startFingerprint } from "../environment.ts";
import { isTooOld, tooOld } from "./find-opencode.ts";
import { basicAuthorization, probe } from "./probe-server.ts";
import type { ServerRecord } from "./server-record.ts";
import { newNonce, removeServerRecord, writeServerRecord } from "./server-record.ts";

export type StartOptions = {
  path: string;
  /** From the configuration; the port may differ from the one in use. */
  configuredAddress: string;
  host: string;
  port: number;
  /** The URL by which this machine reaches the server. */
  url: string;
  /** Null for a random one. */
  password: string | null;
  environment: AgentEnvironment;
  /** Holds the server's record and output. */
  directory: string;
  startMs: number;
  endMs: number;
  signal: AbortSignal;
};

/** `child` is null for a server that an earlier run started. */
export type OwnServer = { record: ServerRecord; child: ChildProcess | null; version: string };

export async function startServer(options: StartOptions): Promise<OwnServer> {
  const { url, port, password, directory } = options;
  const record: ServerRecord = {
    nonce: newNonce(directory),
    url,
    port,
    password: password ?? randomBytes(32).toString("base64url"),
    passwordIsRandom: password === null,
    startedAt: Date.now(),
    fingerprint: startFingerprint(options),
    pid: null,
    processStart: null,
  };
  writeServerRecord(directory, record);
  const child = spawnServer(options, record);
  try {
    await spawned(child, options);
    record.pid = child.pid ?? null;
    // Write the process id immediately, since reading the process table takes a moment.
    writeServerRecord(directory, record);
    record.processStart = (await processTable()).find((row) => row.pid === record.pid)?.start ?? null;
    writeServerRecord(directory, record);
    const version = await ready(child, record, options);
    if (isTooOld(version)) throw tooOld(`${options.path} is`, version);
    return { record, child, version };
  } catch (error) {
    await endProcessTree(record, options.endMs);
    removeServerRecord(directory);
    throw error;
  }
}

export const authorizationOf = ({ password }: ServerRecord) => basicAuthorization("opencode", password);

function spawnServer({ path, host, port, environment, directory }: StartOptions, record: ServerRecord): ChildProcess {
  const output = openOutput(directory);
  try {
    return spawn(path, ["serve", "--hostname", host, "--port", String(port)], {
      cwd: directory,
      env: { ...environment, OPENCODE_SERVER_PASSWORD: record.password, [nonceVariable]: record.nonce },
      detached: true,
      stdio: ["ignore", output, output],
    });
  } finally {
    closeSync(output);
  }
}

async function spawned(child: ChildProcess, { path }: StartOptions): Promise<void> {
  try {
    await once(child, "spawn");
  } catch (cause) {
    throw new AppError({
      code: "opencode_unusable",
      message: `${path} cannot be started: ${messageOf(cause)}.`,
      hint: "Check that it is an executable for this machine, or set opencodeBin (OPENCODE_BIN) to another program.",
      cause,
    });
  }
}

async function ready(child: ChildProcess, record: ServerRecord, options: StartOptions): Promise<string> {
  const { startMs, signal } = options;
  const deadline = performance.now() + startMs;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  for (;;) {
    signal.throwIfAborted();
    if (hasEnded(child)) {
      const hint = "Run `opencode serve` by hand to see more; its configuration may be wrong.";
      throw startError("opencode_start_failed", `${endingOf(child)} before it answered`, hint, options, record);
    }
    const version = await answersAsOurs(record, 2000, signal);
    if (version !== null && !hasEnded(child)) return version;
    if (performance.now() >= deadline) {
      const what = `did not answer within ${startMs / 1000} s and was ended`;
      const hint = "Waybill retries automatically. Run `opencode serve` by hand to see what delays it.";
      throw startError("opencode_start_timeout", what, hint, options, record);
    }
    await Promise.race([wait(100), exited]);
  }
}

/**
 * The version of the server, if it accepts the recorded password and nothing else, which shows that it is ours. A
 * server without a password accepts any, so the first probe sends none.
 */
export async function answersAsOurs(
  record: ServerRecord,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<string | null> {
  const limits = { deadlineMs, ...(signal ? { signal } : {}) };
  if ((await probe(record.url, { ...limits, authorization: null })).is !== "refused") return null;
  const answer = await probe(record.url, { ...limits, authorization: authorizationOf(record) });
  return answer.is === "healthy" ? answer.version : null;
}

/** Calls `ended` once when the server's process has ended. An adopted process is not our child and has to be polled. */
export function onServerExit({ child, record }: OwnServer, pollMs: number, ended: (why: string) => void): () => void {
  if (child) {
    const onExit = () => ended(`It ${endingOf(child)}.`);
    if (hasEnded(child)) queueMicrotask(onExit);
    child.once("exit", onExit);
    return () => child.removeListener("exit", onExit);
  }
  const timer = setInterval(() => {
    if (record.pid !== null && isAlive(record.pid, record.processStart)) return;
    clearInterval(timer);
    ended("It has ended.");
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

const endingOf = ({ signalCode, exitCode }: ChildProcess) =>
  signalCode ? `was ended by ${signalCode}` : `ended with exit code ${exitCode}`;

function startError(code: string, what: string, hint: string, options: StartOptions, record: ServerRecord): AppError {
  const message = `The OpenCode server for ${options.url} ${what}.${lastOutput(options, record)}`;
  return new AppError({ code, message, hint, retryable: true });
}

function lastOutput({ directory, environment }: StartOptions, { password }: ServerRecord): string {
  try {
    const lines = stripVTControlCharacters(readFileSync(outputIn(directory), "utf8")).split("\n");
    const relevant = lines.filter((line) => !line.trimStart().startsWith("Warning:")).join("\n");
    const words = stderrTail(redactSecrets(relevant, [password]), environment);
    return words === "" ? "" : ` Its last output: ${words}`;
  } catch {
    return "";
  }
}

export const defaultServerTimes = {
  /** For the program's answer to `--version`. */
  versionMs: 15_000,
  probeMs: 5000,
  /** A suspected server counts as lost after this many unanswered probes in a row. */
  probes: 3,
  /** From the start until the server answers. */
  startMs: 60_000,
  /** From the request to end until the forced kill. */
  endMs: 5000,
  /** Between checks whether an adopted server's process is still alive. */
  watchMs: 2000,
  /** The wait after the first failure; it doubles with each failure in a row. */
  firstWaitMs: 1000,
  maxWaitMs: 30_000,
  /** A server that ran for this long resets the count of failures. */
  healthyAfterMs: 60_000,
  /** How long an attached server may be away, for example for a restart, before Waybill starts its own. */
  attachedAwayMs: 15_000,
};

export type ServerTimes = typeof defaultServerTimes;

export function nextWait(failures: number, { firstWaitMs, maxWaitMs }: ServerTimes): number {
  return Math.min(firstWaitMs * 2 ** failures, maxWaitMs);
}

/**
 * A server's output file is limited in size. A second file keeps output that no longer fits, and the output of the
 * previous server. The server only appends, so the file can be truncated while it runs.
 */
const maxBytes = 10 * 1024 * 1024;
const checkMs = 60_000;

export const outputIn = (directory: string) => join(directory, "output.log");
const earlierIn = (directory: string) => join(directory, "output.old.log");
const sizeIn = (directory: string) => statSync(outputIn(directory), { throwIfNoEntry: false })?.size ?? 0;

/** Opens an empty file for a server that is about to start. */
export function openOutput(directory: string): number {
  if (sizeIn(directory) > 0) renameSync(outputIn(directory), earlierIn(directory));
  return openSync(outputIn(directory), "a", 0o600);
}

/** Checks the size regularly until the returned function is called. */
export function boundOutput(directory: string, onError: (error: unknown) => void): () => void {
  const timer = setInterval(() => {
    try {
      shrinkOutput(directory);
    } catch (error) {
      onError(error);
    }
  }, checkMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Loses output that is printed between the copy and the truncation, which is acceptable for a log. */
export function shrinkOutput(directory: string, max = maxBytes): void {
  if (sizeIn(directory) <= max) return;
  copyFileSync(outputIn(directory), earlierIn(directory));
  truncateSync(outputIn(directory));
}

/**
 * One `opencode serve` of ours, from the record that comes before it until it answers. What it prints goes to a file and
 * not to a pipe: it has to outlive a daemon that is killed, and a broken pipe would take it along.
 */
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { closeSync, readFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { AppError, messageOf } from "../../../app-error.ts";
import type { AgentEnvironment } from "../../process/agent-environment.ts";
import { nonceVariable, redactSecrets, secretValues } from "../../process/agent-environment.ts";
import { processTable } from "../../process/process-table.ts";
import { endProcessTree } from "../../process/process-tree.ts";
import { basicAuthorization, probe } from "./probe.ts";
import { fingerprintOf } from "./server-environment.ts";
import { openOutput, outputIn } from "./server-output.ts";
import type { ServerRecord } from "./server-record.ts";
import { newNonce, removeServerRecord, writeServerRecord } from "./server-record.ts";

export type StartOptions = {
  path: string;
  version: string;
  /** Where the configuration puts it. */
  place: string;
  host: string;
  port: number;
  /** Where it is reached from here. */
  url: string;
  /** Null: a random one. */
  password: string | null;
  environment: AgentEnvironment;
  /** Where its record and its output are kept. */
  directory: string;
  /** How long it may take until it answers. */
  startMs: number;
  /** How long it may take to end. */
  endMs: number;
  signal: AbortSignal;
};

export type OwnServer = { record: ServerRecord; child: ChildProcess | null; version: string };

export async function startServer(options: StartOptions): Promise<OwnServer> {
  const record = recordOf(options);
  writeServerRecord(options.directory, record);
  const child = spawnServer(options, record);
  try {
    await spawned(child, options);
    record.pid = child.pid ?? null;
    // Its id first, and at once; the table takes a moment.
    writeServerRecord(options.directory, record);
    record.processStart = (await processTable()).find((row) => row.pid === record.pid)?.start ?? null;
    writeServerRecord(options.directory, record);
    return { record, child, version: await ready(child, record, options) };
  } catch (error) {
    await endProcessTree(record, options.endMs);
    removeServerRecord(options.directory);
    throw error;
  }
}

function recordOf({ url, port, password, ...start }: StartOptions): ServerRecord {
  return {
    nonce: newNonce(start.directory),
    url,
    port,
    password: password ?? randomBytes(32).toString("base64url"),
    passwordIsRandom: password === null,
    startedAt: Date.now(),
    fingerprint: fingerprintOf(start),
    pid: null,
    processStart: null,
  };
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
  } catch (error) {
    throw new AppError({
      code: "opencode_unusable",
      message: `${path} cannot be started: ${messageOf(error)}.`,
      hint: "Check that it is a program for this machine that you may run, or name another one as opencodeBin (OPENCODE_BIN).",
      cause: error,
    });
  }
}

/** Its version, once it answers with its password and only with that: then it is the one that was just started. */
async function ready(child: ChildProcess, record: ServerRecord, options: StartOptions): Promise<string> {
  const deadline = performance.now() + options.startMs;
  const exited = new Promise((resolve) => child.once("exit", resolve));
  for (;;) {
    options.signal.throwIfAborted();
    if (hasEnded(child)) throw diedAtStart(child, record, options);
    const version = await answersAsOurs(record, 2000, options.signal);
    if (version !== null && !hasEnded(child)) return version;
    if (performance.now() >= deadline) throw hangs(record, options);
    await Promise.race([wait(100), exited]);
  }
}

/** An open server would take any password, so it is asked without one first. */
export async function answersAsOurs(
  record: ServerRecord,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<string | null> {
  const how = { deadlineMs, ...(signal ? { signal } : {}) };
  const stranger = await probe(record.url, { ...how, authorization: null });
  if (stranger.is !== "refused") return null;
  const ours = await probe(record.url, { ...how, authorization: authorizationOf(record) });
  return ours.is === "healthy" ? ours.version : null;
}

const hasEnded = (child: ChildProcess) => child.exitCode !== null || child.signalCode !== null;

function diedAtStart(child: ChildProcess, record: ServerRecord, options: StartOptions): AppError {
  const how = child.signalCode ? `was ended by ${child.signalCode}` : `ended with exit code ${child.exitCode}`;
  return new AppError({
    code: "opencode_start_failed",
    message: `The OpenCode server for ${options.url} ${how} before it answered.${quoted(lastWords(options, record))}`,
    hint: "Run `opencode serve` by hand to see more; its configuration may be at fault.",
    retryable: true,
  });
}

function hangs(record: ServerRecord, options: StartOptions): AppError {
  const patience = `${options.startMs / 1000} s`;
  return new AppError({
    code: "opencode_start_timeout",
    message: `The OpenCode server for ${options.url} did not answer within ${patience} and was ended.${quoted(lastWords(options, record))}`,
    hint: "It is tried again by itself. Run `opencode serve` by hand to see what holds it up.",
    retryable: true,
  });
}

/** The end of what it printed, without what nobody is to read. */
function lastWords({ directory, environment }: StartOptions, { password }: ServerRecord): string {
  try {
    const secrets = [password, ...secretValues(environment)];
    const output = readFileSync(outputIn(directory), "utf8");
    const text = redactSecrets(output, secrets).slice(-10_000);
    const lines = stripVTControlCharacters(text).split("\n");
    const said = lines.map((line) => line.trim()).filter((line) => line !== "" && !line.startsWith("Warning:"));
    return said.slice(-5).join(" / ").slice(-500);
  } catch {
    return "";
  }
}

const quoted = (words: string) => (words === "" ? "" : ` Its last words: ${words}`);

/** The three ways to get a server: adopt the one of an earlier run, attach to an existing one, or start our own. */

import { AppError } from "../../../platform/app-error.ts";
import { isLoopback } from "../../../platform/loopback.ts";
import { processTable } from "../../process/process-table.ts";
import { endProcessTree, treeLeader } from "../../process/process-tree.ts";
import { serverEnvironment, startFingerprint } from "../environment.ts";
import type { ServerSettings } from "./choose-server.ts";
import { choosePort, chooseServer, localUrl, refuseOpenHost } from "./choose-server.ts";
import type { FindOptions } from "./find-opencode.ts";
import { findOpencode, requireOpencode } from "./find-opencode.ts";
import { basicAuthorization, probe } from "./probe-server.ts";
import type { OwnServer, ServerTimes } from "./server-process.ts";
import { answersAsOurs, authorizationOf, startServer } from "./server-process.ts";
import type { ServerRecord } from "./server-record.ts";
import { isNonceOf, readServerRecord, removeServerRecord, writeServerRecord } from "./server-record.ts";

export type ServerAddress = {
  url: string;
  /** The value of the `Authorization` header; a secret. */
  authorization: string | null;
  version: string;
  startedByUs: boolean;
  pid: number | null;
};

/** `own` is null for an attached server, which Waybill never ends. */
export type AcquiredServer = { how: "adopted" | "attached" | "started"; address: ServerAddress; own: OwnServer | null };

export type AcquireOptions = {
  settings: ServerSettings;
  /** Holds the server's record and output, and is its working directory. Used for nothing else. */
  directory: string;
  /** The daemon's own environment. The server gets part of it, and it holds the password for attaching. */
  env: NodeJS.ProcessEnv;
  /** For the server only; overrides everything else. */
  extraEnv: Readonly<Record<string, string>>;
  /** Other places to look for the program if it is not in PATH. */
  installedPaths?: readonly string[];
  times: ServerTimes;
  signal: AbortSignal;
};

/** Null if there is no such server, or if it had to be ended. */
export async function adoptServer(options: AcquireOptions): Promise<AcquiredServer | null> {
  const own = await adoptRecordedServer(options, async () => {
    if (!options.settings.opencodeAutoStart) return { fingerprint: "none", version: "none" };
    // If the program cannot be found now, any running server is better than none.
    const found = await findOpencode(findOptions(options)).catch(() => null);
    return found && { fingerprint: startFingerprint({ ...startOf(options), ...found }), version: found.version };
  });
  return own && ownServer(own, "adopted");
}

/** Null if there is no server to attach to and Waybill has to start one. */
export async function attachServer(options: AcquireOptions): Promise<AcquiredServer | null> {
  const { settings, times, env, signal } = options;
  const url = settings.opencodeAttachUrl.replace(/\/+$/, "");
  const password = chosenPassword(env);
  const authorization = password && basicAuthorization(env.OPENCODE_SERVER_USERNAME || "opencode", password);
  const answer = await probe(url, { authorization, deadlineMs: times.probeMs, signal });
  signal.throwIfAborted();
  const decision = chooseServer(answer, settings, authorization !== null);
  if (decision.do === "start") return null;
  const address = { url, authorization, version: decision.version, startedByUs: false, pid: null };
  return { how: "attached", address, own: null };
}

export async function startOwnServer(options: AcquireOptions): Promise<AcquiredServer> {
  const { settings, directory, env, times, signal } = options;
  const { opencodeServeHost: host, opencodeServePort } = settings;
  refuseOpenHost(host, chosenPassword(env) !== null);
  const start = { ...startOf(options), path: requireOpencode(findOptions(options)) };
  const port = await choosePort(host, opencodeServePort);
  const starting = startServer({
    ...start,
    port,
    url: localUrl(host, port),
    // On loopback only Waybill needs the password, so it is random.
    password: isLoopback(host) ? null : chosenPassword(env),
    directory,
    startMs: times.startMs,
    endMs: times.endMs,
    signal,
  });
  try {
    return ownServer(await starting, "started");
  } catch (error) {
    // Only now: a server that starts reports its version itself, and asking the program takes as long as half a start.
    if (isStartError(error)) await findOpencode(findOptions(options));
    throw error;
  }
}

/** It may not be OpenCode, or be too old to start as a server. */
function isStartError(error: unknown): boolean {
  return error instanceof AppError && ["opencode_start_failed", "opencode_start_timeout"].includes(error.code);
}

function ownServer(own: OwnServer, how: "adopted" | "started"): AcquiredServer {
  const { url, pid } = own.record;
  const authorization = authorizationOf(own.record);
  return { how, address: { url, authorization, version: own.version, startedByUs: true, pid }, own };
}

/** The settings that a server would be started with now. */
function startOf({ settings, env, extraEnv }: AcquireOptions) {
  const { opencodeServeHost: host, opencodeServePort, opencodeAttachUrl } = settings;
  const configuredAddress = `${host}:${opencodeServePort} ${opencodeAttachUrl}`;
  return { host, configuredAddress, environment: serverEnvironment(env, extraEnv) };
}

function findOptions({ settings, env, extraEnv, installedPaths, times, signal }: AcquireOptions): FindOptions {
  return {
    program: settings.opencodeBin,
    // The program is also asked for its version, which needs none of our tokens.
    env: serverEnvironment(env, extraEnv),
    ...(installedPaths ? { installedPaths } : {}),
    deadlineMs: times.versionMs,
    signal,
  };
}

const chosenPassword = (env: NodeJS.ProcessEnv) => env.OPENCODE_SERVER_PASSWORD || null;

export type AdoptOptions = { directory: string; times: ServerTimes; signal: AbortSignal };

export type ExpectedServer = { fingerprint: string; version: string };

/**
 * Adopts the server that an earlier run of Waybill started, if it works and matches the one that would be started now.
 * Otherwise ends it and everything it started, and waits for that. Must finish before anything is observed.
 * `expectedServer` resolves to null if any server is acceptable.
 */
export async function adoptRecordedServer(
  { directory, times, signal }: AdoptOptions,
  expectedServer: () => Promise<ExpectedServer | null>,
): Promise<OwnServer | null> {
  const { probeMs, endMs } = times;
  const record = readServerRecord(directory);
  if (record === null) {
    await endUnrecorded(directory, endMs);
    return null;
  }
  const expected = await expectedServer();
  const answer = () => answersAsOurs(record, probeMs, signal);
  const isSameStart = expected === null || expected.fingerprint === record.fingerprint;
  const version = isSameStart ? ((await answer()) ?? (await answer())) : null;
  const isSameVersion = expected === null || expected.version === version;
  const known = await withProcess(record, version !== null);
  if (version !== null && isSameVersion && known.pid !== null) {
    writeServerRecord(directory, known);
    return { record: known, child: null, version };
  }
  await endProcessTree(record, endMs);
  removeServerRecord(directory);
  return null;
}

/** Without a readable record, ends everything that was started from this directory. */
async function endUnrecorded(directory: string, endMs: number): Promise<void> {
  const nonces = (await processTable()).map((row) => row.nonce).filter((nonce) => nonce !== null);
  for (const nonce of new Set(nonces.filter((one) => isNonceOf(directory, one)))) {
    await endProcessTree({ nonce, pid: null, processStart: null }, endMs);
  }
}

/** The record with the process that is proven to be the server, or with no process. */
async function withProcess(record: ServerRecord, answers: boolean): Promise<ServerRecord> {
  const table = await processTable();
  // If environments cannot be read, a server that knows our secret is found by its command line.
  const isOurs = answers && record.passwordIsRandom && record.processStart === null;
  const command = new RegExp(` serve .*--port ${record.port}( |$)`);
  const found =
    treeLeader(record, table) ??
    (isOurs ? table.find((row) => row.group === row.pid && command.test(row.command)) : null);
  return { ...record, pid: found?.pid ?? null, processStart: found?.start ?? null };
}

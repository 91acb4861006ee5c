/** The three ways to get a server: take over that of an earlier run, attach to somebody else's, start one. */

import { isLoopback } from "../../../loopback.ts";
import type { ServerSettings } from "./choose-server.ts";
import { choosePort, chooseServer, localUrl, refuseOpenHost } from "./choose-server.ts";
import type { FoundOpencode } from "./find-opencode.ts";
import { findOpencode } from "./find-opencode.ts";
import { basicAuthorization, probe } from "./probe.ts";
import { endStrays, recoverServer } from "./recover-server.ts";
import { fingerprintOf, serverEnvironment } from "./server-environment.ts";
import type { OwnServer } from "./server-process.ts";
import { authorizationOf, startServer } from "./server-process.ts";
import { readServerRecord } from "./server-record.ts";
import type { ServerTimes } from "./server-times.ts";

export type ServerAddress = {
  url: string;
  /** The value of the `Authorization` header; a secret. */
  authorization: string | null;
  version: string;
  startedByUs: boolean;
  pid: number | null;
};

/** `own` is null for a server that somebody else started, and that is never ended. */
export type ObtainedServer = { how: "adopted" | "attached" | "started"; address: ServerAddress; own: OwnServer | null };

export type ObtainOptions = {
  settings: ServerSettings;
  /** For its record, its output, and as its working directory; nobody else's. */
  directory: string;
  /** The daemon's own environment. The server gets a part of it; the password for attaching comes from it. */
  env: NodeJS.ProcessEnv;
  /** For the server alone, over everything else. */
  extraEnv: Readonly<Record<string, string>>;
  /** Where the program may be beside PATH. */
  beside?: readonly string[];
  times: ServerTimes;
  signal: AbortSignal;
};

/** Null when there is none, or when it had to be ended; then it is gone. */
export async function adoptServer(options: ObtainOptions): Promise<ObtainedServer | null> {
  const { directory, signal } = options;
  const { probeMs, endMs } = options.times;
  if (readServerRecord(directory) === null) {
    await endStrays(directory, endMs);
    return null;
  }
  const own = await recoverServer({ directory, wanted: await wanted(options), probeMs, endMs, signal });
  return own && ours(own, "adopted");
}

/** What a server would be started with now; null when that cannot be said, and then any will do. */
async function wanted(options: ObtainOptions): Promise<string | null> {
  if (!options.settings.opencodeAutoStart) return "none";
  const found = await find(options).catch(() => null);
  return found && fingerprintOf(startOf(found, options));
}

/** Null when nobody is there whom we could attach to, and one is to be started. */
export async function attachServer(options: ObtainOptions): Promise<ObtainedServer | null> {
  const { settings, times, signal } = options;
  const url = settings.opencodeAttachUrl.replace(/\/+$/, "");
  const authorization = personsAuthorization(options.env);
  const answer = await probe(url, { authorization, deadlineMs: times.probeMs, signal });
  signal.throwIfAborted();
  const choice = chooseServer(answer, settings, authorization !== null);
  if (choice.do === "start") return null;
  return {
    how: "attached",
    address: { url, authorization, version: choice.version, startedByUs: false, pid: null },
    own: null,
  };
}

export async function startOwnServer(options: ObtainOptions): Promise<ObtainedServer> {
  const { settings, directory, env, times, signal } = options;
  const { opencodeServeHost: host, opencodeServePort } = settings;
  refuseOpenHost(host, personsPassword(env) !== null);
  const found = await find(options);
  const port = await choosePort(host, opencodeServePort);
  const own = await startServer({
    ...startOf(found, options),
    port,
    url: localUrl(host, port),
    // On loopback nobody else needs to know it.
    password: isLoopback(host) ? null : personsPassword(env),
    directory,
    startMs: times.startMs,
    endMs: times.endMs,
    signal,
  });
  return ours(own, "started");
}

function ours(own: OwnServer, how: "adopted" | "started"): ObtainedServer {
  const { url, pid } = own.record;
  const authorization = authorizationOf(own.record);
  return { how, address: { url, authorization, version: own.version, startedByUs: true, pid }, own };
}

function startOf({ path, version }: FoundOpencode, { settings, env, extraEnv }: ObtainOptions) {
  const { opencodeServeHost: host, opencodeServePort, opencodeAttachUrl } = settings;
  const place = `${host}:${opencodeServePort} ${opencodeAttachUrl}`;
  return { path, version, host, place, environment: serverEnvironment(env, extraEnv) };
}

function find({ settings, env, extraEnv, beside, times, signal }: ObtainOptions): Promise<FoundOpencode> {
  return findOpencode({
    program: settings.opencodeBin,
    // A program that is only asked for its version has no business with our tokens.
    env: serverEnvironment(env, extraEnv),
    ...(beside ? { beside } : {}),
    deadlineMs: times.versionMs,
    signal,
  });
}

const personsPassword = (env: NodeJS.ProcessEnv) => env.OPENCODE_SERVER_PASSWORD || null;

function personsAuthorization(env: NodeJS.ProcessEnv): string | null {
  const password = personsPassword(env);
  return password && basicAuthorization(env.OPENCODE_SERVER_USERNAME || "opencode", password);
}

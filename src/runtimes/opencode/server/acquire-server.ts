/** The three ways to get a server: adopt that of an earlier run, attach to an existing one, start our own. */
import { isLoopback } from "../../../loopback.ts";
import { adoptRecordedServer } from "./adopt-server.ts";
import type { ServerSettings } from "./choose-server.ts";
import { choosePort, chooseServer, localUrl, refuseOpenHost } from "./choose-server.ts";
import { findOpencode } from "./find-opencode.ts";
import { basicAuthorization, probe } from "./probe-server.ts";
import { serverEnvironment, startFingerprint } from "./server-environment.ts";
import type { OwnServer } from "./server-process.ts";
import { authorizationOf, startServer } from "./server-process.ts";
import type { ServerTimes } from "./server-times.ts";

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
  /** For the server's record and output, and as its working directory; for nothing else. */
  directory: string;
  /** The daemon's own environment. The server gets a part of it; the password for attaching comes from it. */
  env: NodeJS.ProcessEnv;
  /** For the server alone; overrides everything else. */
  extraEnv: Readonly<Record<string, string>>;
  /** Where the program may be besides PATH. */
  installedPaths?: readonly string[];
  times: ServerTimes;
  signal: AbortSignal;
};

/** Null when there is none, or when it had to be ended. */
export async function adoptServer(options: AcquireOptions): Promise<AcquiredServer | null> {
  const own = await adoptRecordedServer(options, async () => {
    if (!options.settings.opencodeAutoStart) return "none";
    // Where the program cannot be found now, any running server is better than none.
    const start = await startOf(options).catch(() => null);
    return start && startFingerprint(start);
  });
  return own && ownServer(own, "adopted");
}

/** Null when there is no server to attach to, and Waybill has to start one. */
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
  const start = await startOf(options);
  const port = await choosePort(host, opencodeServePort);
  const own = await startServer({
    ...start,
    port,
    url: localUrl(host, port),
    // On loopback only Waybill needs to know it.
    password: isLoopback(host) ? null : chosenPassword(env),
    directory,
    startMs: times.startMs,
    endMs: times.endMs,
    signal,
  });
  return ownServer(own, "started");
}

function ownServer(own: OwnServer, how: "adopted" | "started"): AcquiredServer {
  const { url, pid } = own.record;
  const authorization = authorizationOf(own.record);
  return { how, address: { url, authorization, version: own.version, startedByUs: true, pid }, own };
}

/** What a server would be started with now. */
async function startOf({ settings, env, extraEnv, installedPaths, times, signal }: AcquireOptions) {
  const { opencodeServeHost: host, opencodeServePort, opencodeAttachUrl } = settings;
  // Also for the question for its version: that needs none of our tokens.
  const environment = serverEnvironment(env, extraEnv);
  const found = await findOpencode({
    program: settings.opencodeBin,
    env: environment,
    ...(installedPaths ? { installedPaths } : {}),
    deadlineMs: times.versionMs,
    signal,
  });
  return { ...found, host, configuredAddress: `${host}:${opencodeServePort} ${opencodeAttachUrl}`, environment };
}

const chosenPassword = (env: NodeJS.ProcessEnv) => env.OPENCODE_SERVER_PASSWORD || null;

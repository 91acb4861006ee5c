/**
 * The daemon's own server, and optionally a second one that serves OpenCode's API at its root. Both are the same app behind
 * the same gates.
 */
import type { Registry } from "prom-client";
import { AppError } from "../../platform/app-error.ts";
import { systemClock } from "../../platform/clock.ts";
import type { DoctorReport } from "../../platform/doctor-check.ts";
import { packageFile } from "../../platform/package-files.ts";
import { runtimeKinds } from "../../runtimes/registry.ts";
import type { AgentService } from "../../service/agent-service.ts";
import type { Service } from "../../service/service.ts";
import { makeApp } from "../../transports/http/app.ts";
import type { Mount } from "../../transports/http/mount.ts";
import type { LoginCodes } from "../../transports/http/page/login-codes.ts";
import { loginUrl, makeLoginCodes } from "../../transports/http/page/login-codes.ts";
import type { Listening, ListenOptions } from "../../transports/http/serve.ts";
import { listen } from "../../transports/http/serve.ts";
import { mcpMount } from "../../transports/mcp/mcp-mount.ts";
import { openCodeMount } from "../../transports/opencode-api/opencode-mount.ts";
import { openCodePath } from "../../transports/opencode-api/opencode-path.ts";
import type { Config } from "../config/config.ts";
import type { Logger } from "../logging.ts";
import type { WorkerReady } from "../supervisor/worker-protocol.ts";
import { version } from "../version.ts";

export type ServersOptions = {
  config: Config;
  log: Logger;
  service: Service;
  agents: AgentService;
  /** Routes of other transports. */
  mounts: readonly Mount[];
  doctor: () => Promise<DoctorReport>;
  token: string;
  runId: string;
  registry: Registry;
};

export type Servers = {
  addresses: Pick<WorkerReady, "url" | "port" | "opencodeApiUrl">;
  /** An address that signs one browser in. */
  newLoginUrl(): string;
  close(): Promise<void>;
};

/** Used in an error that says how to choose another port. */
const apiPortSetting = "opencodeApiPort (WAYBILL_OPENCODE_API_PORT), or turn it off with null";

export async function startServers(options: ServersOptions): Promise<Servers> {
  const { config, log } = options;
  const loginCodes = makeLoginCodes(systemClock);
  const app = appFor(options, loginCodes);
  const onError = (error: unknown) => log.error({ err: error }, "A connection failed.");
  const server = await listen({ app, host: config.host, port: config.port, onError });
  let apiServer: Listening | null;
  try {
    apiServer = await startApiServer({ app, onError }, options);
  } catch (error) {
    await server.close();
    throw error;
  }
  return {
    addresses: { url: server.url, port: server.port, opencodeApiUrl: apiServer?.url ?? null },
    newLoginUrl: () => loginUrl(server.url, loginCodes.newCode().code),
    close: async () => void (await Promise.all([server.close(), apiServer?.close()])),
  };
}

async function startApiServer(
  server: Pick<ListenOptions, "app" | "onError">,
  { config: { opencodeApi }, log }: ServersOptions,
): Promise<Listening | null> {
  if (opencodeApi === null) return null;
  const { host, port, isRequired } = opencodeApi;
  try {
    return await listen({
      ...server,
      host,
      port,
      portSetting: apiPortSetting,
      basePath: openCodePath,
    });
  } catch (error) {
    if (isRequired || !(error instanceof AppError)) throw error;
    const { code, message, hint } = error;
    log.warn({ event: code, hint }, `${message} OpenCode's API is served only under ${openCodePath} of the daemon.`);
    return null;
  }
}

function appFor(options: ServersOptions, loginCodes: LoginCodes) {
  const { config, log, service, agents, mounts, doctor, token, runId, registry } = options;
  return makeApp({
    service,
    token,
    runtimeKinds,
    doctor,
    about: { version: version(), runId, startedAt: systemClock.now(), demo: config.profile.kind === "demo" },
    pageDirectory: packageFile("dist/page"),
    loginCodes,
    mounts: [openCodeMount, mcpMount(agents), ...mounts],
    allowedHosts: config.allowedHosts,
    allowedOrigins: config.allowedOrigins,
    registry,
    onError: (error, where) => log.error({ ...where, err: error }, "A request failed."),
    onClientLog: ({ level, service, message }) => log[level]({ event: "client_log", service }, message),
  });
}

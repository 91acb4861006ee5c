/** The worker: one Waybill with its API, put together from a configuration, from its start to its end. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { Registry } from "prom-client";
import { systemClock } from "../../clock.ts";
import { tokenPath } from "../../home.ts";
import { createService } from "../../service/create-service.ts";
import type { Engine } from "../../service/engine.ts";
import type { Service } from "../../service/service.ts";
import type { Store } from "../../store/port.ts";
import { openSqliteStore } from "../../store/sqlite/sqlite-store.ts";
import { makeApp } from "../../transports/http/app.ts";
import { listen } from "../../transports/http/serve.ts";
import { resolveLaneDirectory } from "../config/allowed-directory.ts";
import type { Config } from "../config/config.ts";
import { runtimeOfProvider } from "../config/lane-settings.ts";
import type { Logger } from "../logging.ts";
import { version } from "../version.ts";
import type { Agents } from "../wiring/create-runtimes.ts";
import { createRuntimes } from "../wiring/create-runtimes.ts";
import { namesOf } from "../wiring/denied-directories.ts";
import { startEngine } from "../wiring/start-engine.ts";
import { deliveryMetrics } from "./delivery-metrics.ts";
import { failPointFrom } from "./fail-point.ts";
import { logDeliveries } from "./log-deliveries.ts";
import { keepTidy } from "./retention.ts";
import { ensureToken } from "./token.ts";
import type { RunningWorker } from "./worker-lifecycle.ts";

export type WorkerOptions = {
  config: Config;
  env: NodeJS.ProcessEnv;
  log: Logger;
  restart: () => void;
  stopping: AbortSignal;
};

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { config, log } = options;
  makeDirectories(config);
  const { token, wasOpen } = ensureToken(tokenPath(config.home));
  if (wasOpen) log.warn("Others could read the token file. Its permissions were corrected; delete it for a new token.");
  const runId = randomUUID();
  const registry = new Registry();
  const { waybill, agents } = await startCore(options, runId, registry);
  let draining = false;
  try {
    const service = serviceFor(waybill, options, () => draining);
    const { server, stopTidying } = await startServer({ ...options, waybill, service, token, runId, registry });
    return {
      ready: { url: server.url, port: server.port, runId, drainMs: config.drainMs },
      async drain(hurry) {
        draining = true;
        log.info(
          { event: "draining", drainMs: config.drainMs },
          "Stopping: nothing new is sent, and running turns get a while to end.",
        );
        const outcome = await waybill.drain(config.drainMs, hurry);
        if (outcome === "left_running") log.info("Turns that still run stay in the ledger; the next start goes on.");
      },
      async close({ restarting }) {
        stopTidying();
        await server.close();
        await waybill.close({ keepAgents: restarting });
        await agents.close();
        log.info("Stopped.");
      },
    };
  } catch (error) {
    await waybill.close();
    await agents.close();
    throw error;
  }
}

function makeDirectories({ home, stateDirectory, profile, lanes }: Config): void {
  for (const directory of [home, stateDirectory]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (profile.kind === "demo") for (const lane of lanes) mkdirSync(lane.directory, { recursive: true, mode: 0o700 });
}

async function startCore(options: WorkerOptions, runId: string, registry: Registry) {
  const { config, env, log, stopping } = options;
  const store = openSqliteStore({ path: config.storePath, failPoint: failPointFrom(env.WAYBILL_FAIL_POINT) });
  let agents: Agents;
  try {
    agents = await createRuntimes({ config, env, log, stopping, storedLanes: () => store.lanes() });
  } catch (error) {
    await store.close();
    throw error;
  }
  try {
    return { agents, waybill: await startDelivering(options, { store, agents, runId, registry }) };
  } catch (error) {
    await agents.close();
    throw error;
  }
}

type Core = { store: Store; agents: Agents; runId: string; registry: Registry };

function startDelivering(
  { config, env, log, stopping }: WorkerOptions,
  { store, agents, runId, registry }: Core,
): Promise<Engine> {
  const onError = ({ laneId, error }: { laneId?: string; error: unknown }) =>
    log.error({ laneId, err: error }, "Something went wrong; it is tried again.");
  const failPoint = failPointFrom(env.WAYBILL_FAIL_POINT);
  const createdAt = systemClock.now();
  const count = deliveryMetrics(registry);
  const write = logDeliveries({ store, log });
  return startEngine({
    store,
    policy: config.policy,
    lanes: agents.lanes.map((lane) => ({ ...lane, createdAt })),
    runtimes: agents.make,
    keptEvents: config.keptEvents,
    alerts: {
      times: { askMs: config.alertAskAfterMs, failureMs: config.alertFailureAfterMs, lateMs: config.relayTimeoutMs },
      onAlert: ({ raisedAt: _, ...alert }) => log.warn({ event: "alert", ...alert }, "Somebody should look at this."),
    },
    runId,
    failPoint,
    stopping,
    onChange: (change) => {
      count(change);
      write(change);
    },
    onError,
  });
}

function serviceFor(waybill: Engine, { config, env, restart }: WorkerOptions, draining: () => boolean): Service {
  const ownLanes = config.profile.kind === "demo" ? config.lanes.map(({ directory }) => directory) : [];
  return createService({
    waybill,
    resolveDirectory: (path) =>
      resolveLaneDirectory(path, { allowed: config.allowedDirectories, home: config.home, ownLanes }, env),
    allowedDirectories: config.allowedDirectories,
    stateDirectories: namesOf(config.home),
    defaults: {
      runtime: runtimeOfProvider[config.modelProvider],
      model: config.modelName,
    },
    restart,
    now: () => systemClock.now(),
    draining,
    retriesAreOff: !config.policy.automaticRetry,
  });
}

type Doors = WorkerOptions & { waybill: Engine; service: Service; token: string; runId: string; registry: Registry };

/** The API, and what goes on beside it. Nothing is left open when it cannot be. */
async function startServer({ config, log, waybill, service, token, runId, registry }: Doors) {
  const app = makeApp({
    service,
    token,
    about: { version: version(), runId, startedAt: systemClock.now() },
    allowedHosts: config.allowedHosts,
    allowedOrigins: config.allowedOrigins,
    registry,
    onError: (error, where) => log.error({ ...where, err: error }, "A request could not be carried out."),
    onClientLog: ({ level, service, message }) => log[level]({ event: "client_log", service }, message),
  });
  const server = await listen({
    app,
    host: config.host,
    port: config.port,
    onError: (error) => log.error({ err: error }, "A connection could not be served."),
  });
  const stopTidying = keepTidy({
    prune: waybill.prune,
    clock: systemClock,
    onPruned: (records) => log.info({ records }, "Old records were removed."),
    onError: ({ error }) => log.error({ err: error }, "Old records could not be removed; it is tried again."),
  });
  return { server, stopTidying };
}

/** The worker: starts the engine and its API from a configuration, and later drains and closes them. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { Registry } from "prom-client";
import { agentTokens } from "../../mail/agent-tokens.ts";
import { systemClock } from "../../platform/clock.ts";
import { tokenPath } from "../../platform/home.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";
import { agentService } from "../../service/agents.ts";
import type { ServiceOptions } from "../../service/create-service.ts";
import { createService } from "../../service/create-service.ts";
import type { Engine } from "../../service/engine.ts";
import type { Service } from "../../service/service.ts";
import type { Store } from "../../store/store.ts";
import { mcpPath } from "../../transports/mcp/mcp-path.ts";
import { resolveLaneDirectory } from "../config/allowed-directory.ts";
import type { Config } from "../config/config.ts";
import { loadConfig } from "../config/config.ts";
import type { Logger } from "../logging.ts";
import type { Agents } from "../wiring/create-runtimes.ts";
import { createRuntimes, namesOf } from "../wiring/create-runtimes.ts";
import type { TelegramTransport } from "../wiring/make-telegram.ts";
import { makeTelegram } from "../wiring/make-telegram.ts";
import type { StartedEngine } from "../wiring/start-engine.ts";
import { startEngine } from "../wiring/start-engine.ts";
import { processLocks, storeAt } from "../wiring/store-at.ts";
import { startBackgroundCheck } from "./background-check.ts";
import { deliveryMetrics, logDeliveries } from "./delivery-log.ts";
import { makeDoctor } from "./doctor.ts";
import { failPointFrom } from "./fail-point.ts";
import { fileProblem } from "./file-problem.ts";
import { logHealth } from "./health-log.ts";
import { startRetention } from "./retention.ts";
import type { Servers } from "./start-servers.ts";
import { startServers } from "./start-servers.ts";
import { ensureToken } from "./token.ts";
import type { RunningWorker } from "./worker-lifecycle.ts";

export type WorkerStart = {
  config: Config;
  env: NodeJS.ProcessEnv;
  log: Logger;
  restart: () => void;
  stopping: AbortSignal;
};

export type StartedWorker = RunningWorker & Pick<Servers, "newLoginUrl">;

export async function startWorker(options: WorkerStart): Promise<StartedWorker> {
  try {
    return await start(options);
  } catch (error) {
    throw fileProblem(error);
  }
}

async function start(options: WorkerStart): Promise<StartedWorker> {
  const { config, env, log } = options;
  makeDirectories(config);
  const { token, wasOpen } = ensureToken(tokenPath(config.home));
  if (wasOpen)
    log.warn("Other users could read the token file. Its permissions were corrected; delete it to get a new token.");
  if (!config.policy.automaticRetry) log.warn({ event: "retries_off" }, killSwitchNotice);
  const runId = randomUUID();
  const registry = new Registry();
  const listening = new Listening();
  const { engine, agents, distrust } = await startAgentsAndEngine(options, { runId, registry, token, listening });
  const draining = new AbortController();
  try {
    const parts = { draining: draining.signal, defaultRuntime: agents.defaultRuntime };
    let telegram: TelegramTransport | null = null;
    const transportNotices = () => telegram?.telegram.notices ?? [];
    const service = createServiceFor(engine, options, { ...parts, transportNotices });
    telegram = await makeTelegram({
      ...{ config, service, store: engine.store, clock: systemClock, log },
      failPoint: failPointFrom(options.env.WAYBILL_FAIL_POINT),
    });
    const tools = agentService({ engine, draining: draining.signal });
    const mounts = telegram?.mounts ?? [];
    const doctor = makeDoctor({ env });
    const servers = await startServers({
      ...{ config, log, service, agents: tools, mounts, token, runId, registry },
      doctor: doctor.examine,
    });
    listening.at(servers.addresses.url);
    telegram?.telegram.start();
    const stopRetention = startRetention({
      prune: engine.prune,
      clock: systemClock,
      onPruned: (records) => log.info({ records }, "Old records were removed."),
      onError: (error) => log.error({ err: error }, "Old records could not be removed; retrying."),
    });
    const stopCheck = startBackgroundCheck({ storePath: config.storePath, env, onFinding: distrust });
    return {
      ready: { ...servers.addresses, runId, drainMs: config.drainMs },
      newLoginUrl: servers.newLoginUrl,
      async drain(stopNow) {
        draining.abort();
        const { drainMs } = config;
        log.info(
          { event: "draining", drainMs },
          "Stopping: nothing new is sent, and running turns get time to finish.",
        );
        const outcome = await engine.drain(drainMs, stopNow);
        if (outcome === "left_running") log.info("Some turns are still running; the next start continues them.");
      },
      async close({ restarting }) {
        stopRetention();
        stopCheck();
        doctor.stop();
        await telegram?.telegram.close();
        await servers.close();
        await engine.close({ keepAgents: restarting });
        await agents.close();
        log.info("Stopped.");
      },
    };
  } catch (error) {
    await engine.close();
    await agents.close();
    throw error;
  }
}

const killSwitchNotice =
  "The kill switch is on (WAYBILL_WATCHDOG=0): messages that may have arrived are not sent again automatically.";

function makeDirectories({ home, stateDirectory, profile, lanes }: Config): void {
  for (const directory of [home, stateDirectory]) mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (profile.kind === "demo") for (const lane of lanes) mkdirSync(lane.directory, { recursive: true, mode: 0o700 });
}

type Shared = { runId: string; registry: Registry; token: string; listening: Listening };

/** Where the daemon listens, for parts that start before it does. */
class Listening {
  at: (url: string) => void = () => {};
  readonly url = new Promise<string>((resolve) => {
    this.at = resolve;
  });
}

async function startAgentsAndEngine(options: WorkerStart, shared: Shared) {
  const { runId, registry, token, listening } = shared;
  const { config, env, log, stopping } = options;
  const failPoint = failPointFrom(env.WAYBILL_FAIL_POINT);
  const onListenerError = (error: unknown) => log.error({ err: error }, "Unexpected error in a listener of the log.");
  const { store, distrust } = await storeAt(config.storePath).open({
    failPoint,
    onHealth: logHealth(log),
    onListenerError,
  });
  let agents: Agents;
  try {
    const tokens = agentTokens(token, store);
    const toolServer = async (lane: string) => {
      const own = config.agentTools ? await tokens.tokenOf({ kind: "lane", lane }) : null;
      return own === null ? null : { url: `${await listening.url}${mcpPath}`, token: own };
    };
    agents = await createRuntimes({ config, env, log, stopping, storedLanes: () => store.lanes(), toolServer });
  } catch (error) {
    await store.close();
    throw error;
  }
  try {
    return { agents, distrust, engine: await startEngineFor(options, { store, agents, runId, registry, token }) };
  } catch (error) {
    await agents.close();
    throw error;
  }
}

type EngineParts = { store: Store; agents: Agents; runId: string; registry: Registry; token: string };

function startEngineFor(
  { config, env, log, stopping }: WorkerStart,
  { store, agents, runId, registry, token }: EngineParts,
): Promise<StartedEngine> {
  const failPoint = failPointFrom(env.WAYBILL_FAIL_POINT);
  const createdAt = systemClock.now();
  // Before the engine, so that changes made by its start count.
  store.onLog(deliveryMetrics(registry));
  store.onLog(logDeliveries({ store, log }));
  return startEngine({
    store,
    policy: config.policy,
    lanes: agents.lanes.map((lane) => ({ ...lane, createdAt })),
    teams: config.teams.map((team) => ({
      ...team,
      createdAt,
      members: team.members.map((member) => ({ ...member, createdAt })),
    })),
    tokenSecret: token,
    memberIdleMs: config.memberIdleMs,
    runtimes: agents.make,
    ...(config.telegramBotToken ? { maxTurns: { source: "telegram" as const, max: config.maxConcurrentTopics } } : {}),
    keptEvents: config.keptEvents,
    maxAttachmentBytes: config.maxAttachmentBytes,
    teamFiles: {
      stateDirectory: config.stateDirectory,
      takeLock: lockDirectory,
      onProblem: ({ message, ...about }) => log.warn({ event: "inbox_problem", ...about }, message),
    },
    alerts: {
      times: { askMs: config.alertAskAfterMs, failureMs: config.alertFailureAfterMs, lateMs: config.relayTimeoutMs },
      onAlert: ({ raisedAt: _, ...alert }) => log.warn({ event: "alert", ...alert }, "This needs attention."),
    },
    runId,
    failPoint,
    stopping,
    onError: ({ laneId, error }) => log.error({ laneId, err: error }, "Unexpected error; retrying."),
  });
}

/** Uses the same kind of lock as the store. */
function lockDirectory(file: string) {
  const outcome = processLocks.take(file, systemClock.now());
  return outcome.taken ? { release: outcome.lock.release } : outcome.holder;
}

type ServiceParts = Pick<ServiceOptions, "draining" | "transportNotices"> & { defaultRuntime: string };

function createServiceFor(
  engine: Engine,
  { config, env, restart }: WorkerStart,
  { defaultRuntime, ...parts }: ServiceParts,
): Service {
  const ownLanes = config.profile.kind === "demo" ? config.lanes.map(({ directory }) => directory) : [];
  return createService({
    engine,
    resolveDirectory: (path) =>
      resolveLaneDirectory(path, { allowed: config.allowedDirectories, home: config.home, ownLanes }, env),
    allowedDirectories: [...config.allowedDirectories, ...ownLanes],
    stateDirectories: namesOf(config.home),
    runtimeDescriptors,
    defaults: {
      runtime: defaultRuntime,
      model: config.modelName ?? null,
    },
    restart,
    checkRestart: () => void loadConfig(env),
    now: () => systemClock.now(),
    ...parts,
    retriesAreOff: !config.policy.automaticRetry,
  });
}

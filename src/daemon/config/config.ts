/**
 * The daemon's configuration: environment over file over default, validated, with every path absolute. Without a file it
 * is the demo profile. Every problem is an `AppError` that says where and why.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import type { Policy } from "../../core/delivery/policy.ts";
import { AppError } from "../../platform/app-error.ts";
import { waybillHome } from "../../platform/home.ts";
import { resolvedPath } from "../../platform/inside.ts";
import { isLoopback } from "../../platform/loopback.ts";
import { checkDescriptors } from "../../runtimes/descriptor.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";
import { demoDirectory, demoLaneScripts, demoLanes, demoPolicy } from "../demo/demo-profile.ts";
import { resolveLaneDirectory } from "./allowed-directory.ts";
import type { Origin } from "./config-error.ts";
import { badSetting } from "./config-error.ts";
import type { ConfiguredLanes } from "./lanes.ts";
import { configuredLanes } from "./lanes.ts";
import type { ReadFile } from "./read-file.ts";
import { readConfigFile } from "./read-file.ts";
import { environmentSettings, fileSchema } from "./settings.ts";
import type { DaemonValues, Origins } from "./values.ts";
import { fromEnvironment, settingValues } from "./values.ts";

export type Config = Omit<DaemonValues, "sqlitePath" | "sessionRetryAttempts" | "opencodeApiPort"> &
  Omit<ConfiguredLanes, "laneLimits"> & {
    profile: { kind: "file"; path: string } | { kind: "demo" };
    /** WAYBILL_HOME: the token and the daemon file are here. */
    home: string;
    /** The directory of the store unless another path is set; the demo has its own. */
    stateDirectory: string;
    storePath: string;
    /** The port that serves OpenCode's API at its root. Unless it was set explicitly, a start continues without it. */
    opencodeApi: { host: string; port: number; isRequired: boolean } | null;
    /** The values of all runtimes' settings, by key. */
    runtimeSettings: Readonly<Record<string, unknown>>;
    policy: Policy;
  };

/** Also checks the directories, so that the daemon can start with it. `file` is for a file that is not written yet. */
export function loadConfig(env: NodeJS.ProcessEnv, file?: ReadFile): Config {
  const { origins, ...config } = readConfig(env, file);
  return withCheckedPaths(config, origins, env);
}

/** Everything that can be known without reading the directories that it names. */
export function readConfig(
  env: NodeJS.ProcessEnv,
  file: ReadFile | null = isDemo(env) ? null : readConfigFile(env),
): Config & { origins: Origins } {
  checkDescriptors(runtimeDescriptors);
  const home = waybillHome(env);
  const stateDirectory = file ? home : demoDirectory(home);
  const { values, runtimeSettings, origins } = settingValues({ env, file, stateDirectory });
  refuseOpenHost(values, origins);
  refuseOpenWebhook(values, origins);
  const { sqlitePath, sessionRetryAttempts, opencodeApiPort: _, ...plain } = values;
  const { laneLimits, ...lanes } = file ? configuredLanes(file, values, env) : demoProfile(home);
  const limits = {
    everyLane: { tokens: values.dailyTokenLimit ?? null, cost: values.dailyCostLimit ?? null },
    byLane: laneLimits,
  };
  // A real agent program takes longer than a scripted agent to show a result.
  const policy = file ? fileSchema.shape.delivery.parse(file.content.delivery) : demoPolicy;
  const automaticRetry = fromEnvironment(environmentSettings.watchdog, env)?.value !== false;
  return {
    ...plain,
    ...lanes,
    profile: file ? { kind: "file", path: file.path } : { kind: "demo" },
    home,
    stateDirectory,
    storePath: sqlitePath,
    opencodeApi: opencodeApi(values, origins, file === null),
    runtimeSettings,
    policy: { ...policy, maxRepairs: sessionRetryAttempts, limits, automaticRetry },
    origins,
  };
}

function isDemo(env: NodeJS.ProcessEnv): boolean {
  return fromEnvironment(environmentSettings.demo, env)?.value === true;
}

function demoProfile(home: string): ConfiguredLanes {
  // Its directory is created at the start; symlinks in its path are resolved, as for every lane.
  const directory = resolvedPath(join(demoDirectory(home), "work"));
  return { lanes: demoLanes(directory), teams: [], laneSettings: demoLaneScripts, laneLimits: {} };
}

function opencodeApi(values: DaemonValues, origins: Origins, isDemo: boolean): Config["opencodeApi"] {
  const { port, opencodeApiPort = null } = values;
  // This port is for local clients only: a proxy for other machines goes in front of the daemon's own port.
  const host = isLoopback(values.host) ? values.host : "127.0.0.1";
  const origin = origins.opencodeApiPort;
  if (origin === undefined) return isDemo && port < 65535 ? { host, port: port && port + 1, isRequired: false } : null;
  if (opencodeApiPort === null) return null;
  if (opencodeApiPort !== port || port === 0) return { host, port: opencodeApiPort, isRequired: true };
  throw badSetting(
    origin,
    `is ${port}, which is the daemon's own port`,
    "Choose another port. The daemon's own port serves this API under /opencode.",
  );
}

function refuseOpenHost({ host, allowRemote }: DaemonValues, origins: Origins): void {
  if (allowRemote || isLoopback(host)) return;
  throw badSetting(
    origins.host ?? { kind: "environment", variable: "WAYBILL_HOST" },
    `is ${host}, which other machines can reach, but allowRemote is not set`,
    "Set host to 127.0.0.1, or set allowRemote to true (WAYBILL_ALLOW_REMOTE=1) if other machines should reach it.",
  );
}

/** Rejects directories and files that a start could not use. */
function withCheckedPaths(config: Config, origins: Origins, env: NodeJS.ProcessEnv): Config {
  const { profile, systemPromptPath } = config;
  if (systemPromptPath !== undefined && origins.systemPromptPath) {
    refuseMissingFile(systemPromptPath, origins.systemPromptPath);
  }
  // The demo's directory belongs to Waybill and is created at the start.
  if (profile.kind === "demo") return config;
  const rules = { allowed: config.allowedDirectories, home: config.home };
  const lanes = config.lanes.map((lane, index) => {
    try {
      return { ...lane, directory: resolveLaneDirectory(lane.directory, rules, env) };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const origin: Origin = { kind: "file", file: profile.path, key: `lanes[${index}].directory` };
      throw badSetting(origin, `is invalid: ${error.message.replace(/\.$/, "")}`, error.hint, error);
    }
  });
  return { ...config, lanes };
}

function refuseMissingFile(path: string, origin: Origin): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) return;
  throw badSetting(origin, `names ${path}, which does not exist`, "Create the file, or remove the setting.");
}

const howToMake =
  "Generate one with `openssl rand -hex 32`, and set it as telegramWebhookSecret (TELEGRAM_WEBHOOK_SECRET).";

/** Rejects a webhook that anybody could call: it needs a secret, made of characters that Telegram accepts. */
function refuseOpenWebhook(values: DaemonValues, origins: Origins): void {
  const { telegramWebhookUrl: url, telegramWebhookSecret: secret } = values;
  if (url === undefined) return;
  if (secret === undefined) {
    const origin = origins.telegramWebhookUrl ?? { kind: "environment", variable: "TELEGRAM_WEBHOOK_URL" };
    throw badSetting(origin, "is set, but telegramWebhookSecret is not", howToMake);
  }
  if (/^[\w-]{1,256}$/.test(secret.reveal())) return;
  const origin = origins.telegramWebhookSecret ?? { kind: "environment", variable: "TELEGRAM_WEBHOOK_SECRET" };
  throw badSetting(origin, "must be 1 to 256 characters of A-Z a-z 0-9 _ -, as Telegram requires", howToMake);
}

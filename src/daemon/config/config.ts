/**
 * The configuration that a daemon runs on: environment over file over default, checked, with every path absolute.
 * Without a file it is the demo profile. Anything that is not right is an `AppError` that says where and why.
 */
import { join } from "node:path";
import type { Policy } from "../../core/delivery/policy.ts";
import { defaultPolicy } from "../../core/delivery/policy.ts";
import { waybillHome } from "../../home.ts";
import { isLoopback } from "../../loopback.ts";
import { demoDirectory, demoLaneScripts, demoLanes, demoPolicy } from "../demo/demo-profile.ts";
import { withCheckedPlaces } from "./checked-paths.ts";
import { badSetting } from "./config-error.ts";
import type { ConfigFile } from "./file-schema.ts";
import type { LanesAndTeams } from "./lanes.ts";
import { lanesAndTeams } from "./lanes.ts";
import type { ReadFile } from "./read-file.ts";
import { readConfigFile } from "./read-file.ts";
import type { Secret } from "./secret.ts";
import { secret } from "./secret.ts";
import { withSwitches } from "./switches.ts";
import type { Origins, Values } from "./values.ts";
import { settingValues } from "./values.ts";

type Elsewhere = "sqlitePath" | "sessionRetryAttempts" | "telegramBotToken" | "piAgentApiKey";

export type Config = Omit<Values, Elsewhere> &
  LanesAndTeams & {
    profile: { kind: "file"; path: string } | { kind: "demo" };
    /** WAYBILL_HOME: the token and the daemon file are here. */
    home: string;
    /** Where the store is unless it was given another place; the demo has a directory of its own. */
    stateDirectory: string;
    storePath: string;
    /** What the scripted agent keeps. */
    stubJournalPath: string;
    policy: Policy;
    secrets: { telegramBotToken: Secret | null; piAgentApiKey: Secret | null };
  };

/** Ready to start on: the directories were looked at, too. `file` is for one that is not written yet. */
export function loadConfig(env: NodeJS.ProcessEnv, file?: ReadFile): Config {
  const { origins, ...config } = readConfig(env, file);
  return withCheckedPlaces(config, origins, env);
}

/** Everything that can be said without looking at the directories that it names. */
export function readConfig(
  env: NodeJS.ProcessEnv,
  file: ReadFile | null = readConfigFile(env),
): Config & { origins: Origins } {
  const home = waybillHome(env);
  const stateDirectory = file ? home : demoDirectory(home);
  const { values, origins } = settingValues({ env, file, stateDirectory });
  refuseOpenDoor(values, origins);
  const { sqlitePath, sessionRetryAttempts, telegramBotToken, piAgentApiKey, ...plain } = values;
  const configured = file ? lanesAndTeams(file, values, env) : { ...demo, lanes: demoLanes(home) };
  const limits = {
    everyLane: { tokens: values.dailyTokenLimit, cost: values.dailyCostLimit },
    byLane: configured.laneLimits,
  };
  const policy = { ...policyOf(file?.content ?? null), maxRepairs: sessionRetryAttempts, limits };
  return {
    ...plain,
    ...configured,
    profile: file ? { kind: "file", path: file.path } : { kind: "demo" },
    home,
    stateDirectory,
    storePath: sqlitePath,
    stubJournalPath: join(stateDirectory, "stub.jsonl"),
    policy: withSwitches(policy, env),
    secrets: { telegramBotToken: secretOrNull(telegramBotToken), piAgentApiKey: secretOrNull(piAgentApiKey) },
    origins,
  };
}

const demo = { teams: [], stubScripts: demoLaneScripts, laneLimits: {} };

function policyOf(file: ConfigFile | null): Policy {
  // A real agent program takes longer to show something than a scripted agent does.
  if (file === null) return demoPolicy;
  const { retention, ...numbers } = file.delivery ?? {};
  return { ...defaultPolicy, ...given(numbers), retention: { ...defaultPolicy.retention, ...given(retention ?? {}) } };
}

/** Only what was written; a key without a value must not hide a default. */
function given<T extends object>(written: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(written).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

function secretOrNull(value: string | null): Secret | null {
  return value === null ? null : secret(value);
}

function refuseOpenDoor({ host, allowRemote }: Values, origins: Origins): void {
  if (allowRemote || isLoopback(host)) return;
  throw badSetting(
    origins.host ?? { kind: "environment", variable: "WAYBILL_HOST" },
    `is ${host}, which other machines can failPoint, and allowRemote is not set`,
    "Set host to 127.0.0.1; or, if other machines are meant to reach it, set allowRemote to true (WAYBILL_ALLOW_REMOTE=1).",
  );
}

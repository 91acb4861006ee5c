/** The lanes of a configuration file, with defaults filled in and every name checked. */
import { dirname } from "node:path";
import type { DailyLimits } from "../../core/lane/lane.ts";
import { expandPath } from "../../platform/home.ts";
import { descriptorOf, withDefaultModel } from "../../runtimes/descriptor.ts";
import { runtimeDescriptors } from "../../runtimes/registry.ts";
import type { NewLane } from "../../store/port.ts";
import { badSetting } from "./config-error.ts";
import type { ReadFile } from "./read-file.ts";
import type { FileLane } from "./settings.ts";
import type { ConfigTeam } from "./teams.ts";
import { configuredTeams } from "./teams.ts";
import type { DaemonValues } from "./values.ts";

export type ConfigLane = Omit<NewLane, "createdAt"> & { displayName: string | null };

export type ConfiguredLanes = {
  lanes: readonly ConfigLane[];
  teams: readonly ConfigTeam[];
  /** The runtimes' own lane settings, by lane id. */
  laneSettings: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** By lane id, for lanes with their own limits. */
  laneLimits: Readonly<Record<string, DailyLimits>>;
};

export function runtimeOfProvider(provider: string): string {
  const { kind } = runtimeDescriptors.find((one) => one.provider === provider) ?? runtimeDescriptors[0];
  return kind;
}

export function configuredLanes(file: ReadFile, values: DaemonValues, env: NodeJS.ProcessEnv): ConfiguredLanes {
  const written = file.content.lanes ?? [];
  const indexes = new Map<string, number>();
  for (const [index, { id }] of written.entries()) {
    const first = indexes.get(id);
    if (first !== undefined) throw wrong(file.path, `lanes[${index}].id`, `is "${id}", the same as lanes[${first}].id`);
    indexes.set(id, index);
  }
  const teams = configuredTeams(file, new Set(indexes.keys()), env);
  const members = new Map(teams.flatMap((team) => team.members.map((member) => [member.lane, member] as const)));
  const lanes = written.map((lane, index) => ({
    ...laneOf(file.path, lane, index, values),
    directory: expandPath(lane.directory, dirname(file.path), env),
    ...{ team: members.get(lane.id)?.team ?? null, member: members.get(lane.id)?.name ?? null },
  }));
  return {
    lanes,
    teams,
    laneSettings: Object.fromEntries(
      written.map((lane, index) => [lane.id, runtimeSettingsOf(file.path, lane, index, lanes[index]?.runtime ?? "")]),
    ),
    laneLimits: limitsOf(written, values),
  };
}

function laneOf(file: string, lane: FileLane, index: number, { modelProvider, modelName }: DaemonValues) {
  const runtime = lane.runtime ?? runtimeOfProvider(modelProvider);
  const descriptor = descriptorOf(runtime, runtimeDescriptors);
  const chosen = { agent: lane.agent ?? null, model: lane.model ?? null };
  const problem = descriptor.laneProblem(chosen);
  if (problem) throw wrong(file, `lanes[${index}].${problem.key}`, problem.reason, problem.hint);
  return {
    id: lane.id,
    displayName: lane.displayName ?? null,
    runtime,
    ...withDefaultModel(descriptor, chosen, modelName ?? null),
    contract: lane.contract ?? "text",
  };
}

/** The lane's keys that belong to its runtime. Keys of another runtime would have no effect, so they are rejected. */
function runtimeSettingsOf(file: string, lane: FileLane, index: number, runtime: string): Record<string, unknown> {
  const own: Record<string, unknown> = {};
  for (const { kind, laneSettings } of runtimeDescriptors) {
    for (const key of Object.keys(laneSettings)) {
      const value = (lane as Record<string, unknown>)[key];
      if (value === undefined) continue;
      if (kind !== runtime) {
        const reason = `is only for ${kind} lanes, but lane "${lane.id}" has runtime ${runtime}`;
        throw wrong(file, `lanes[${index}].${key}`, reason);
      }
      own[key] = value;
    }
  }
  return own;
}

function limitsOf(written: readonly FileLane[], values: DaemonValues): ConfiguredLanes["laneLimits"] {
  const own = written.filter((lane) => lane.dailyTokenLimit !== undefined || lane.dailyCostLimit !== undefined);
  return Object.fromEntries(
    own.map(({ id, dailyTokenLimit = values.dailyTokenLimit, dailyCostLimit = values.dailyCostLimit }) => [
      id,
      { tokens: dailyTokenLimit ?? null, cost: dailyCostLimit ?? null },
    ]),
  );
}

function wrong(file: string, key: string, reason: string, hint?: string) {
  return badSetting({ kind: "file", file, key }, reason, hint);
}

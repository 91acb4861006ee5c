/** Lanes and teams of a configuration file, with everything that is left out filled in and every name checked. */
import { dirname } from "node:path";
import type { DailyLimits } from "../../core/lane/daily-limit.ts";
import { expandPath } from "../../home.ts";
import type { StubScriptInput } from "../../runtimes/stub/script.ts";
import { choiceOf } from "../../service/agent-or-model.ts";
import type { NewLane } from "../../store/port.ts";
import { badSetting } from "./config-error.ts";
import type { ConfigFile, FileLane } from "./file-schema.ts";
import { runtimeOfProvider } from "./lane-settings.ts";
import type { ReadFile } from "./read-file.ts";
import type { Values } from "./values.ts";

export type ConfigLane = Omit<NewLane, "createdAt"> & { displayName: string | null };
export type ConfigTeam = {
  id: string;
  displayName: string | null;
  members: readonly { id: string; lane: string }[];
};
type LaneDefaults = Pick<Values, "modelProvider" | "modelName" | "dailyTokenLimit" | "dailyCostLimit">;

export type LanesAndTeams = {
  lanes: readonly ConfigLane[];
  teams: readonly ConfigTeam[];
  /** By lane id, for the stub. */
  stubScripts: Readonly<Record<string, StubScriptInput>>;
  /** By lane id, for those that have limits of their own. */
  laneLimits: Readonly<Record<string, DailyLimits>>;
};

export function lanesAndTeams(file: ReadFile, values: LaneDefaults, env: NodeJS.ProcessEnv): LanesAndTeams {
  const written = file.content.lanes ?? [];
  const teams = teamsOf(file.content);
  const places = new Map<string, number>();
  for (const [place, { id }] of written.entries()) {
    const first = places.get(id);
    if (first !== undefined) throw wrong(file.path, `lanes[${place}].id`, `is "${id}", as is lanes[${first}].id`);
    places.set(id, place);
  }
  const membership = membershipOf(file.path, teams, new Set(places.keys()));
  const lanes = written.map((lane) => ({
    ...laneOf(lane, values),
    directory: expandPath(lane.directory, dirname(file.path), env),
    ...(membership.get(lane.id) ?? { team: null, member: null }),
  }));
  for (const [place, lane] of written.entries()) refuseBoth(file.path, place, lane, lanes[place]?.runtime);
  return { lanes, teams, stubScripts: scriptsOf(file.path, written, lanes), laneLimits: limitsOf(written, values) };
}

function refuseBoth(file: string, place: number, { agent, model }: FileLane, runtime: string | undefined): void {
  if (runtime !== "opencode" || agent === undefined || model === undefined) return;
  throw wrong(
    file,
    `lanes[${place}].model`,
    "stands beside an agent, which brings its own",
    "Leave out one of the two.",
  );
}

function limitsOf(written: readonly FileLane[], values: LaneDefaults): LanesAndTeams["laneLimits"] {
  const own = written.filter((lane) => lane.dailyTokenLimit !== undefined || lane.dailyCostLimit !== undefined);
  return Object.fromEntries(
    own.map(({ id, dailyTokenLimit = values.dailyTokenLimit, dailyCostLimit = values.dailyCostLimit }) => [
      id,
      { tokens: dailyTokenLimit, cost: dailyCostLimit },
    ]),
  );
}

function laneOf(lane: FileLane, { modelProvider, modelName }: LaneDefaults) {
  const runtime = lane.runtime ?? runtimeOfProvider[modelProvider];
  return {
    id: lane.id,
    displayName: lane.displayName ?? null,
    runtime,
    ...choiceOf({ runtime, agent: lane.agent ?? null, model: lane.model ?? null }, modelName),
    contract: lane.contract ?? "text",
  };
}

function teamsOf({ teams = {} }: ConfigFile): ConfigTeam[] {
  return Object.entries(teams).map(([id, team]) => ({
    id,
    displayName: team.displayName ?? null,
    members: Object.entries(team.members).map(([member, { lane }]) => ({ id: member, lane })),
  }));
}

type Membership = Map<string, { team: string; member: string }>;

function membershipOf(file: string, teams: readonly ConfigTeam[], lanes: ReadonlySet<string>): Membership {
  const found: Membership = new Map();
  for (const { id: team, members } of teams) {
    for (const { id: member, lane } of members) {
      const key = `teams.${team}.members.${member}.lane`;
      if (!lanes.has(lane)) {
        const known = lanes.size === 0 ? "There are no lanes in the file." : `Its lanes: ${[...lanes].join(", ")}.`;
        throw wrong(file, key, `is "${lane}", and no lane of the file has that id`, known);
      }
      const other = found.get(lane);
      if (other) {
        const whose = `${other.member} of team ${other.team}`;
        throw wrong(file, key, `is "${lane}", which is the lane of ${whose} already`, "Give each member its own lane.");
      }
      found.set(lane, { team, member });
    }
  }
  return found;
}

function scriptsOf(
  file: string,
  written: readonly FileLane[],
  lanes: readonly ConfigLane[],
): LanesAndTeams["stubScripts"] {
  const scripts: Record<string, StubScriptInput> = {};
  for (const [place, { id, script }] of written.entries()) {
    if (script === undefined) continue;
    const runtime = lanes[place]?.runtime;
    if (runtime !== "stub") {
      throw wrong(file, `lanes[${place}].script`, `is only for stub lanes, and lane "${id}" has runtime ${runtime}`);
    }
    scripts[id] = script;
  }
  return scripts;
}

function wrong(file: string, key: string, reason: string, hint?: string) {
  return badSetting({ kind: "file", file, key }, reason, hint);
}

/** Creates a team from a directory in which its members write inbox files. */
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import type { TeamConfig } from "../core/inbox/team-config.ts";
import { memberName, teamName } from "../core/inbox/team-config.ts";
import type { Team } from "../core/team/team.ts";
import { nameProblem } from "../core/team/team.ts";
import { joinMembers } from "../mail/join-members.ts";
import { AppError } from "../platform/app-error.ts";
import { knownLane } from "../store/known.ts";
import type { Engine } from "./engine.ts";
import type { TeamImport } from "./service.ts";

/** `directory` is resolved and allowed. A team that is imported again keeps its display name and its members. */
export async function importTeam(
  { directory, name, lanes, join: joins }: TeamImport,
  { store, clock, teamFiles, memberStates }: Engine,
): Promise<Team> {
  const config = await teamFiles.configIn(directory);
  if (!config && !existsSync(join(directory, "inboxes"))) throw noTeam(directory);
  const team = name ?? teamName(config, basename(directory));
  if (team === null || nameProblem(team) !== null) throw noName(directory);
  const holder = teamFiles.holderOf(directory);
  if (holder) throw inUse(directory, holder.pid);
  const served = await servedMembers(lanes, config, store);
  const createdAt = clock.now();
  // The files are read once the members are known: rows to members that Waybill runs are taken, others are not.
  const displayName = (await store.team(team))?.displayName ?? null;
  const made = await store.putTeam({ name: team, displayName, createdAt });
  for (const { member, lane, role } of served) {
    const known = made.members.find((one) => one.name === member);
    const shown = { displayName: known?.displayName ?? null, role: known?.role ?? role, color: known?.color ?? null };
    await store.putMember({ team, name: member, kind: "lane", lane, ...shown, createdAt });
  }
  if (config) await joinMembers(config, (await store.team(team)) ?? made, store, clock);
  await store.putTeam({ name: team, displayName, createdAt, directory });
  memberStates.follow();
  if (joins && config?.form === "session") await teamFiles.join(directory);
  await teamFiles.settled(team);
  return (await store.team(team)) ?? made;
}

async function servedMembers(lanes: TeamImport["lanes"], config: TeamConfig | null, store: Engine["store"]) {
  const served: { member: string; lane: string; role: string | null }[] = [];
  for (const [written, lane] of Object.entries(lanes)) {
    await knownLane(store, lane);
    const member = memberName(written);
    const role = config?.members.find(({ name }) => name === member)?.role ?? null;
    if (member === null || nameProblem(member, role) !== null) throw badMember(written);
    served.push({ member, lane, role });
  }
  return served;
}

function noTeam(directory: string): AppError {
  return new AppError({
    code: "team_directory_invalid",
    message: `${directory} is not a team directory: it has neither a readable config.json nor inboxes.`,
    hint: "Give the directory of one team, such as ~/.claude/teams/NAME.",
  });
}

function noName(directory: string): AppError {
  return new AppError({
    code: "name_invalid",
    message: `No team name can be derived from ${directory}.`,
    hint: "Give one: `waybill teams import DIR --team NAME`.",
  });
}

function badMember(name: string): AppError {
  return new AppError({
    code: "name_invalid",
    message: `A member cannot be called "${name.slice(0, 80)}".`,
    hint: "Write MEMBER=LANE with the name of the member's inbox file.",
  });
}

function inUse(directory: string, pid: number | null): AppError {
  return new AppError({
    code: "team_directory_in_use",
    message: `Another Waybill (process ${pid ?? "unknown"}) is using the files in ${directory}.`,
    hint: "Stop that one first, or leave this team to it.",
  });
}

/** Finds a team or member by name, or throws an error that lists the known ones. */

import type { Member, Team } from "../core/team/team.ts";
import { canonicalName, memberCalled } from "../core/team/team.ts";
import { AppError } from "../platform/app-error.ts";
import { nearest } from "../platform/nearest.ts";
import type { TeamStore } from "./port.ts";

type Directory = Pick<TeamStore, "team" | "teams">;

export async function knownTeam(store: Directory, written: string): Promise<Team> {
  const team = await store.team(canonicalName(written));
  if (team) return team;
  throw teamUnknown(written, await store.teams());
}

export async function knownMember(store: Directory, written: { team: string; member: string }): Promise<Member> {
  const team = await knownTeam(store, written.team);
  const member = memberCalled(team, written.member);
  if (member) return member;
  throw memberUnknown(team, written.member);
}

export function teamUnknown(name: string, teams: readonly Team[]): AppError {
  const names = teams.map((team) => team.name);
  return new AppError({
    code: "team_unknown",
    message: `There is no team "${name.slice(0, 80)}".`,
    hint: suggestion(name, names, "Known teams", "There are no teams yet: `waybill teams create NAME`."),
  });
}

export function memberUnknown({ name: team, members }: Team, name: string): AppError {
  const names = members.map((member) => member.name);
  return new AppError({
    code: "member_unknown",
    message: `There is no member "${name.slice(0, 80)}" in team "${team}".`,
    hint: suggestion(name, names, "Its members", `Team "${team}" has no members yet.`),
  });
}

const maxNamed = 30;

/** Suggests the closest known name and lists the first known ones. */
export function suggestion(written: string, known: readonly string[], heading: string, none: string): string {
  if (known.length === 0) return none;
  const meant = nearest(written, known);
  const all = `${heading}: ${known.slice(0, maxNamed).join(", ")}${known.length > maxNamed ? ", …" : ""}.`;
  return meant === null ? all : `Did you mean "${meant}"? ${all}`;
}

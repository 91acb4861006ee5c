/**
 * Finds a lane, a team or a member by name, or throws an error that lists the known ones. Also the errors for everything
 * else that the store refuses.
 */
import type { Lane } from "../core/lane/lane.ts";
import type { Refusal } from "../core/plan/writes.ts";
import type { Member, Team } from "../core/team/team.ts";
import { canonicalName, memberCalled } from "../core/team/team.ts";
import { AppError } from "../platform/app-error.ts";
import { nearest } from "../platform/nearest.ts";
import type { LaneStore, TeamStore } from "./port.ts";

type Lanes = Pick<LaneStore, "lane" | "lanes">;
type Directory = Pick<TeamStore, "team" | "teams">;

export async function knownLane(store: Lanes, id: string): Promise<Lane> {
  const lane = await store.lane(id);
  if (lane) return lane;
  throw laneUnknown(id, await store.lanes());
}

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

export function laneUnknown(id: string, lanes: readonly Lane[]): AppError {
  const ids = lanes.map((lane) => lane.id).join(", ");
  return new AppError({
    code: "lane_unknown",
    message: `There is no lane "${id}".`,
    hint: ids === "" ? "No lane has been set up yet." : `Known lanes: ${ids}.`,
  });
}

function teamUnknown(name: string, teams: readonly Team[]): AppError {
  const names = teams.map((team) => team.name);
  return new AppError({
    code: "team_unknown",
    message: `There is no team "${name.slice(0, 80)}".`,
    hint: suggestion(name, names, "Known teams", "There are no teams yet: `waybill teams create NAME`."),
  });
}

function memberUnknown({ name: team, members }: Team, name: string): AppError {
  const names = members.map((member) => member.name);
  return new AppError({
    code: "member_unknown",
    message: `There is no member "${name.slice(0, 80)}" in team "${team}".`,
    hint: suggestion(name, names, "Its members", `Team "${team}" has no members yet.`),
  });
}

/** The error for a change that a plan has refused. */
export async function refusalError(
  store: Pick<LaneStore & TeamStore, "lanes" | "teams">,
  refusal: Refusal,
): Promise<AppError> {
  switch (refusal.refused) {
    case "lane_unknown":
      return laneUnknown(refusal.lane, await store.lanes());
    case "team_unknown":
      return teamUnknown(refusal.team, await store.teams());
    case "member_unknown":
      return memberUnknown(refusal.team, refusal.member);
    case "lane_exists":
      return new AppError({
        code: "not_possible",
        message: `A lane "${refusal.lane}" exists, or existed before.`,
        hint: "Choose another name.",
      });
    case "lane_taken":
      return new AppError({
        code: "lane_taken",
        message: `Lane "${refusal.lane}" belongs to ${refusal.by.name} in team "${refusal.by.team}".`,
        hint: "Give each member its own lane.",
      });
    case "session_in_use":
      return new AppError({
        code: "session_in_use",
        message: `Session "${refusal.sessionId}" belongs to lane "${refusal.owner}".`,
        hint: `Name another session, or send to lane "${refusal.owner}". A removed lane keeps its session.`,
      });
    case "directory_taken":
      return new AppError({
        code: "directory_taken",
        message: `The files in ${refusal.directory} belong to team "${refusal.by}".`,
        hint: `Use that team, or remove it first: \`waybill teams delete ${refusal.by}\`.`,
      });
    case "events_out_of_order":
      return new AppError({
        code: "events_out_of_order",
        message: `Event ${refusal.seq} of lane "${refusal.lane}" does not follow ${refusal.last}.`,
      });
    default:
      return refusal satisfies never;
  }
}

const maxNamed = 30;

/** Suggests the closest known name and lists the first known ones. */
export function suggestion(written: string, known: readonly string[], heading: string, none: string): string {
  if (known.length === 0) return none;
  const meant = nearest(written, known);
  const all = `${heading}: ${known.slice(0, maxNamed).join(", ")}${known.length > maxNamed ? ", …" : ""}.`;
  return meant === null ? all : `Did you mean "${meant}"? ${all}`;
}

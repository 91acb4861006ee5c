/** Plans what a change to a team writes, from facts that an adapter has loaded. A refusal writes nothing. */
import type { Lane } from "../lane/lane.ts";
import type { Member, NewMember, NewTeam, Team } from "../team/team.ts";
import { changedLane } from "./plans.ts";

/** A team that is created again keeps its state and its members. */
export function planTeam(
  existing: Team | null,
  { name, displayName, createdAt, directory }: NewTeam,
  at: number,
): Team {
  const team = existing ?? { name, createdAt, state: "active", directory: null, directorySince: null, members: [] };
  if (directory === undefined || directory === team.directory) return { ...team, displayName };
  return { ...team, displayName, directory, directorySince: directory === null ? null : at };
}

export type TeamWrites = {
  /** The team's new state, with all of its members. */
  team: Team;
  /** Lanes whose team or member changes. */
  lanes: readonly Lane[];
};

export type MemberFacts = {
  team: Team;
  /** The lane it will work in; null if the member has none, or if there is no such lane. */
  lane: Lane | null;
  /** The lane it worked in before. */
  laneBefore: Lane | null;
  /** The member that already works in the lane. */
  laneOf: Pick<Member, "team" | "name"> | null;
};

export type MemberPlan =
  | { writes: TeamWrites }
  | { refused: "lane_unknown" }
  | { refused: "lane_taken"; by: Pick<Member, "team" | "name"> };

/** Adds or changes a member; a member that was shut down stays so. */
export function planMember({ team, lane, laneBefore, laneOf }: MemberFacts, member: NewMember): MemberPlan {
  if (member.kind === "lane" && lane === null) return { refused: "lane_unknown" };
  const isTaken = laneOf !== null && !(laneOf.team === team.name && laneOf.name === member.name);
  if (isTaken) return { refused: "lane_taken", by: laneOf };
  const before = team.members.find(({ name }) => name === member.name);
  const { terminatedAt = null, createdAt = member.createdAt } = before ?? {};
  const next: Member = { ...member, terminatedAt, createdAt };
  const members = before ? team.members.map((one) => (one === before ? next : one)) : [...team.members, next];
  const left = laneBefore && laneBefore.id !== lane?.id ? [withoutMember(laneBefore)] : [];
  const joined = lane ? [changedLane(lane, { team: team.name, member: member.name })] : [];
  return { writes: { team: { ...team, members }, lanes: [...left, ...joined] } };
}

/** Its lane stays, without a member: waiting messages are still delivered. */
export function planMemberRemoval(team: Team, name: string, lane: Lane | null): TeamWrites {
  const members = team.members.filter((member) => member.name !== name);
  return { team: { ...team, members }, lanes: lane ? [withoutMember(lane)] : [] };
}

/**
 * Null brings back a member that was shut down: it counts as new from `now` on, so that its old shutdown no longer
 * applies.
 */
export function planTermination(team: Team, name: string, at: number | null, now: number): Team {
  const members = team.members.map((member) => {
    if (member.name !== name) return member;
    const isBack = at === null && member.terminatedAt !== null;
    return { ...member, terminatedAt: at, ...(isBack ? { createdAt: now } : {}) };
  });
  return { ...team, members };
}

function withoutMember(lane: Lane): Lane {
  return changedLane(lane, { team: null, member: null });
}

/** Carries out plans for a team: its rows, the lanes of its members, and the log. */
import type Database from "better-sqlite3";
import type { Lane } from "../../core/lane/lane.ts";
import type { TeamWrites } from "../../core/plan/team-plans.ts";
import { planMember, planMemberRemoval, planTeam, planTermination } from "../../core/plan/team-plans.ts";
import type { Member, NewMember, NewTeam, Team, TeamState } from "../../core/team/team.ts";
import { canonicalName } from "../../core/team/team.ts";
import { laneUnknown } from "../known-lane.ts";
import { memberUnknown, teamUnknown } from "../known-team.ts";
import type { NewLane } from "../port.ts";
import type { HandOvers } from "./hand-overs.ts";
import type { laneStatements } from "./lanes.ts";
import type { Log } from "./log/log.ts";
import { directoryTaken, laneTaken, teamStatements } from "./teams.ts";

export type TeamWriterDeps = {
  handOvers: HandOvers;
  lanes: ReturnType<typeof laneStatements>;
  log: Log;
  saveLane: (lane: Lane) => Lane;
  now: () => number;
};

export function teamWriter(db: Database.Database, { lanes, log, handOvers, saveLane, now }: TeamWriterDeps) {
  const teams = teamStatements(db);
  /** Teams with files. Cached, because every message to a mailbox checks it. */
  const files = new Set(teams.withFiles());
  let mayBeWrong = false;
  const laneOf = (member: Pick<Member, "lane"> | undefined): Lane | null =>
    member?.lane == null ? null : lanes.find(member.lane);
  const known = (name: string): Team => {
    const team = teams.find(name);
    if (team) return team;
    throw teamUnknown(name, teams.all());
  };
  const knownMember = (team: Team, name: string): Member => {
    const member = team.members.find((one) => one.name === name);
    if (member) return member;
    throw memberUnknown(team, name);
  };
  const save = ({ team, lanes: changed }: TeamWrites): Team => {
    const before = teams.find(team.name);
    teams.save(team);
    if ((before?.directory ?? null) !== team.directory) moveFiles(team, before);
    for (const lane of changed) saveLane(lane);
    // Whether a lane may work depends on its team.
    for (const { lane } of [...(before?.members ?? []), ...team.members]) if (lane !== null) lanes.reread(lane);
    log.addTeam(team.name, team, before ? now() : team.createdAt);
    return team;
  };
  const moveFiles = ({ name, directory }: Team, before: Team | null): void => {
    mayBeWrong = true;
    if (before?.directory != null) handOvers.forget(name);
    if (directory === null) files.delete(name);
    else {
      files.add(name);
      handOvers.oweUnread(name, now());
    }
  };
  const put = (team: NewTeam): Team => {
    const owner = team.directory == null ? null : teams.inDirectory(team.directory);
    if (team.directory != null && owner !== null && owner !== team.name) throw directoryTaken(team.directory, owner);
    return save({ team: planTeam(teams.find(team.name), team, now()), lanes: [] });
  };
  const putMember = (member: NewMember): Team => {
    const team = known(member.team);
    const before = team.members.find(({ name }) => name === member.name);
    const worksIn = member.lane === null ? null : teams.memberIn(member.lane);
    const facts = { team, lane: laneOf(member), laneBefore: laneOf(before), laneOf: worksIn };
    const plan = planMember(facts, member);
    if (!("refused" in plan)) return save(plan.writes);
    throw plan.refused === "lane_unknown" ? laneUnknown(member.lane ?? "", lanes.all()) : laneTaken(member, plan.by);
  };
  const removeMember = (teamName: string, name: string): Team => {
    const team = known(teamName);
    return save(planMemberRemoval(team, name, laneOf(knownMember(team, name))));
  };

  return {
    find: teams.find,
    all: teams.all,
    files: files as ReadonlySet<string>,
    /** Call after a write was rolled back. */
    forget(): void {
      if (!mayBeWrong) return;
      mayBeWrong = false;
      files.clear();
      for (const name of teams.withFiles()) files.add(name);
    },
    put,
    putMember,
    removeMember,
    setState: (name: string, state: TeamState): Team => save({ team: { ...known(name), state }, lanes: [] }),
    terminate(teamName: string, name: string, at: number | null): Team {
      const team = known(teamName);
      return save({ team: planTermination(team, knownMember(team, name).name, at, now()), lanes: [] });
    },
    remove(name: string): boolean {
      const team = teams.find(name);
      if (!team) return false;
      for (const member of team.members) removeMember(name, member.name);
      handOvers.forget(name);
      teams.remove(name);
      files.delete(name);
      mayBeWrong = true;
      log.addTeam(name, null, now());
      return true;
    },
    /** A lane that names a team and a member creates them if they are missing. */
    joined(lane: Lane, { team, member, createdAt }: NewLane): Lane {
      if (team === null || member === null) return lane;
      const names = { team: canonicalName(team), name: canonicalName(member) };
      const before = teams.memberIn(lane.id);
      if (before?.team === names.team && before.name === names.name) return lane;
      if (before) removeMember(before.team, before.name);
      if (!teams.find(names.team)) put({ name: names.team, displayName: null, createdAt });
      putMember({ ...names, kind: "lane", lane: lane.id, displayName: null, role: null, color: null, createdAt });
      return lanes.known(lane.id);
    },
    laneRemoved(laneId: string): void {
      const member = teams.memberIn(laneId);
      if (member) save(planMemberRemoval(known(member.team), member.name, null));
    },
  };
}

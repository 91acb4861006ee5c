/**
 * Plans for teams and their members, and for lanes that join or leave them. A refusal writes nothing. Whether a lane may
 * work depends on its team.
 */
import type { DeliveryRecord } from "../delivery/record.ts";
import type { Lane, NewLane } from "../lane/lane.ts";
import type { ExchangePair } from "../team/exchange.ts";
import { isSamePair, pairOf } from "../team/exchange.ts";
import type { Member, NewMember, NewTeam, Team } from "../team/team.ts";
import { canonicalName, holdOf } from "../team/team.ts";
import { changedLane, laneEntry, planLane } from "./lane-plans.ts";
import type { LogWrite, Plan, Refusal, Writes } from "./writes.ts";

/** A new state of a team, and of the lanes that change with it. */
type Step = { team: Team; lanes: readonly Lane[]; log: readonly LogWrite[] };

function stepTo(team: Team, before: Team | null, lanes: readonly Lane[], now: number): Step {
  const at = before ? now : team.createdAt;
  const log: LogWrite[] = [
    ...lanes.map((lane) => laneEntry(lane, now)),
    { type: "team", at, laneId: null, name: team.name, team },
  ];
  return { team, lanes, log };
}

/** Rows are written in this order, so that the last state of each stays. */
function writesOf(steps: readonly Step[]): Writes & Required<Pick<Writes, "teams" | "lanes" | "log">> {
  return {
    lanes: steps.flatMap(({ lanes }) => lanes),
    teams: steps.map(({ team }) => team),
    log: steps.flatMap(({ log }) => log),
  };
}

function planned(step: Step): Plan<Team> {
  return { result: step.team, writes: writesOf([step]) };
}

/** `owner`: the team that has its files in the directory. */
export type NewTeamFacts = { team: Team | null; owner: string | null };

/** A team that is created again keeps its state and its members. */
export function planTeam(
  { team: existing, owner }: NewTeamFacts,
  { name, displayName, createdAt, directory }: NewTeam,
  now: number,
): Plan<Team> | Refusal {
  if (directory != null && owner !== null && owner !== name) {
    return { refused: "directory_taken", directory, by: owner };
  }
  const before = existing ?? newTeam(name, createdAt);
  if (directory === undefined || directory === before.directory) {
    return planned(stepTo({ ...before, displayName }, existing, [], now));
  }
  const directorySince = directory === null ? null : now;
  const { result, writes } = planned(stepTo({ ...before, displayName, directory, directorySince }, existing, [], now));
  return {
    result,
    writes: {
      ...writes,
      ...(before.directory === null ? {} : { closedInboxes: name }),
      ...(directory === null ? {} : { openedInboxes: { team: name, at: now } }),
    },
  };
}

function newTeam(name: string, createdAt: number): Team {
  return { name, displayName: null, createdAt, state: "active", directory: null, directorySince: null, members: [] };
}

export type TeamFacts = {
  name: string;
  team: Team | null;
  /** The lanes in which its members work. */
  lanes: readonly Lane[];
};

export function planTeamState({ name, team }: TeamFacts, state: Team["state"], now: number): Plan<Team> | Refusal {
  return team ? planned(stepTo({ ...team, state }, team, [], now)) : { refused: "team_unknown", team: name };
}

/** The lanes of its members stay, without a member. */
export function planTeamRemoval({ name, team, lanes }: TeamFacts, now: number): Plan<boolean> {
  if (!team) return { result: false };
  const steps: Step[] = [];
  for (const member of team.members) steps.push(removal(steps.at(-1)?.team ?? team, member, lanes, now));
  const { teams: _, log, ...left } = writesOf(steps);
  const removed: LogWrite = { type: "team", at: now, laneId: null, name, team: null };
  return { result: true, writes: { ...left, removedTeam: name, closedInboxes: name, log: [...log, removed] } };
}

export type MemberFacts = {
  team: Team | null;
  /** The lane it will work in; null if the member has none, or if there is no such lane. */
  lane: Lane | null;
  /** The lane it worked in before. */
  laneBefore: Lane | null;
  /** The member that already works in the lane. */
  laneOf: Pick<Member, "team" | "name"> | null;
};

/** Adds or changes a member; a member that was shut down stays so. */
export function planMember(facts: MemberFacts, member: NewMember, now: number): Plan<Team> | Refusal {
  const { team, lane, laneBefore, laneOf } = facts;
  if (!team) return { refused: "team_unknown", team: member.team };
  if (member.kind === "lane" && lane === null) return { refused: "lane_unknown", lane: member.lane ?? "" };
  const isTaken = laneOf !== null && !(laneOf.team === team.name && laneOf.name === member.name);
  if (isTaken) return { refused: "lane_taken", lane: member.lane ?? "", by: laneOf };
  return planned(joining(member, { team, lane, laneBefore }, now));
}

function joining(
  member: NewMember,
  { team, lane, laneBefore }: { team: Team; lane: Lane | null; laneBefore: Lane | null },
  now: number,
): Step {
  const before = team.members.find(({ name }) => name === member.name);
  const { terminatedAt = null, createdAt = member.createdAt } = before ?? {};
  const next: Member = { ...member, terminatedAt, createdAt };
  const members = before ? team.members.map((one) => (one === before ? next : one)) : [...team.members, next];
  const left = laneBefore && laneBefore.id !== lane?.id ? changeOf(laneBefore, null, null) : [];
  const joined = lane ? changeOf(lane, { team: team.name, member: member.name }, holdOf(team, next)) : [];
  return stepTo({ ...team, members }, team, [...left, ...joined], now);
}

export function planMemberRemoval(facts: TeamFacts, name: string, now: number): Plan<Team> | Refusal {
  const found = memberIn(facts, name);
  return "refused" in found ? found : planned(removal(found.team, found.member, facts.lanes, now));
}

/** Its lane stays, without a member: waiting messages are still delivered. */
function removal(team: Team, { name, lane }: Member, lanes: readonly Lane[], now: number): Step {
  const members = team.members.filter((member) => member.name !== name);
  const left = lanes.filter(({ id }) => id === lane).flatMap((one) => changeOf(one, null, null));
  return stepTo({ ...team, members }, team, left, now);
}

/** Empty if nothing changes. */
function changeOf(lane: Lane, member: Pick<Lane, "team" | "member"> | null, teamHold: string | null): Lane[] {
  const changed = changedLane(lane, member ?? { team: null, member: null });
  return changed === lane ? [] : [{ ...changed, teamHold }];
}

/**
 * Null brings back a member that was shut down: it counts as new from `now` on, so that its old shutdown no longer
 * applies.
 */
export function planTermination(facts: TeamFacts, name: string, at: number | null, now: number): Plan<Team> | Refusal {
  const found = memberIn(facts, name);
  if ("refused" in found) return found;
  const { team, member } = found;
  const isBack = at === null && member.terminatedAt !== null;
  const changed: Member = { ...member, terminatedAt: at, ...(isBack ? { createdAt: now } : {}) };
  const members = team.members.map((one) => (one === member ? changed : one));
  return planned(stepTo({ ...team, members }, team, [], now));
}

function memberIn({ name, team }: TeamFacts, memberName: string): { team: Team; member: Member } | Refusal {
  if (!team) return { refused: "team_unknown", team: name };
  const member = team.members.find((one) => one.name === memberName);
  return member ? { team, member } : { refused: "member_unknown", team, member: memberName };
}

export type NewLaneFacts = {
  lane: Lane | null;
  /** The lane with that id, even if it was removed. */
  ever: Lane | null;
  /** The member that works in it, and that member's team. */
  member: Member | null;
  teamBefore: Team | null;
  /** The team that it names, and the lane in which the member that it names works. */
  team: Team | null;
  laneBefore: Lane | null;
};

/** A lane that names a team and a member creates them if they are missing. */
export function planNewLane(facts: NewLaneFacts, settings: NewLane, now: number): Plan<Lane> {
  const { lane: existing, ever, member: before, teamBefore, laneBefore } = facts;
  const lane = planLane(existing, settings, ever);
  const made = lane === existing ? { lanes: [], log: [] } : { lanes: [lane], log: [laneEntry(lane, now)] };
  const names = namesIn(settings);
  const isIn = names === null || (before?.team === names.team && before.name === names.name);
  if (isIn) return { result: lane, ...(lane === existing ? {} : { writes: made }) };
  const { createdAt } = settings;
  const left = before && teamBefore ? removal(teamBefore, before, [lane], now) : null;
  const known = left?.team.name === names.team ? left.team : facts.team;
  const begun = known ? null : stepTo(newTeam(names.team, createdAt), null, [], now);
  const team = known ?? begun?.team ?? newTeam(names.team, createdAt);
  const member = {
    ...names,
    kind: "lane",
    lane: lane.id,
    displayName: null,
    role: null,
    color: null,
    createdAt,
  } as const;
  const joined = joining(member, { team, lane: left?.lanes[0] ?? lane, laneBefore }, now);
  const { lanes, log, teams } = writesOf([left, begun, joined].filter((step) => step !== null));
  const last = lanes.findLast(({ id }) => id === lane.id) ?? lane;
  const entered = joined.team.members.find(({ name }) => name === names.name);
  return {
    result: { ...last, teamHold: entered ? holdOf(joined.team, entered) : null },
    writes: { lanes: [...made.lanes, ...lanes], teams, log: [...made.log, ...log] },
  };
}

function namesIn({ team, member }: NewLane): Pick<Member, "team" | "name"> | null {
  return team === null || member === null ? null : { team: canonicalName(team), name: canonicalName(member) };
}

export type RemovalFacts = {
  id: string;
  lane: Lane | null;
  hasOpenDeliveries: boolean;
  /** The member that works in it, and that member's team. */
  member: Member | null;
  team: Team | null;
};

/** False, and nothing is written, while the lane has open deliveries. If it is created again, it is not paused. */
export function planRemoval(facts: RemovalFacts, at: number, now: number): Plan<boolean> | Refusal {
  const { id, lane, hasOpenDeliveries, member, team } = facts;
  if (!lane) return { refused: "lane_unknown", lane: id };
  if (hasOpenDeliveries) return { result: false };
  const left = member && team ? writesOf([removal(team, member, [], now)]) : { log: [] };
  const removed = changedLane(lane, { pausedReason: null, team: null, member: null });
  const gone: LogWrite = { type: "lane", laneId: id, lane: null, at: now };
  return { result: true, writes: { ...left, lanes: [removed], removedLane: { id, at }, log: [...left.log, gone] } };
}

/** Returns what is held between the pair, and writes nothing while anything is. */
export function planExchangeEnd(held: readonly DeliveryRecord[], pair: ExchangePair): Plan<DeliveryRecord[]> {
  const between = held.filter((record) => isBetween(record, pair));
  return between.length > 0 ? { result: between } : { result: [], writes: { removedExchange: pair } };
}

/** Whether one lane of the pair sent it to the other. */
function isBetween({ laneId, replyTo }: DeliveryRecord, pair: ExchangePair): boolean {
  return replyTo?.kind === "lane" && isSamePair(pairOf(laneId, replyTo.lane), pair);
}

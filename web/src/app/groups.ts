/** Lanes and members in sidebar order: teams first, then lanes by directory. Pure. */

import type { Ask, Delivery, Lane, Member, Team } from "waybill/client";
import { groupBy } from "../group-by.ts";
import type { Activity } from "../live/activity.ts";
import { memberConversation } from "../live/conversation-id.ts";
import type { DotState } from "../ui/state-dot.tsx";

export type LaneFacts = {
  asks: readonly Ask[];
  open: readonly Delivery[];
  failed: readonly Delivery[];
  activity: ReadonlyMap<string, Activity>;
  /** By conversation. */
  unread: Readonly<Record<string, number>>;
};

export type Entry = {
  key: string;
  name: string;
  /** Null for a member that Waybill does not run. */
  lane: string | null;
  /** Null for a person. */
  conversation: string | null;
  dot: DotState;
  /** A short description of what it is doing. */
  doing: string | null;
  since: number | null;
  waiting: number;
  unread: number;
  role: string | null;
};

export type Group = { key: string; title: string; hint: string; entries: readonly Entry[] };

export function groupsOf(lanes: readonly Lane[], teams: readonly Team[], facts: LaneFacts): Group[] {
  const byId = new Map(lanes.map((lane) => [lane.id, lane]));
  const teamGroups = teams.map((team): Group => {
    const entries = team.members.map((member) => memberEntry(team.name, member, byId, facts));
    const hint = team.state === "active" ? `team ${team.name}` : `team ${team.name}, ${team.state}`;
    return { key: `team ${team.name}`, title: team.displayName ?? team.name, hint, entries };
  });
  const inTeams = new Set(teams.flatMap(({ members }) => members.flatMap(({ lane }) => lane ?? [])));
  const byDirectory = groupBy(
    lanes.filter(({ id }) => !inTeams.has(id)),
    ({ directory }) => directory,
  );
  const directories = [...byDirectory].map(([directory, own]): Group => {
    const entries = own.map((lane) => laneEntry(lane, facts));
    return { key: directory, title: lastName(directory), hint: directory, entries };
  });
  return [...teamGroups, ...directories];
}

function memberEntry(team: string, member: Member, lanes: ReadonlyMap<string, Lane>, facts: LaneFacts): Entry {
  const lane = member.lane === null ? undefined : lanes.get(member.lane);
  const name = member.displayName ?? member.name;
  if (lane) {
    const entry = laneEntry(lane, facts);
    const isCalm = entry.dot === "idle" || entry.dot === "ready";
    return {
      ...entry,
      key: `member ${member.name}`,
      name,
      role: member.role,
      dot: isCalm ? memberDot(member) : entry.dot,
    };
  }
  const isPerson = member.kind === "person";
  const conversation = isPerson ? null : memberConversation({ team, name: member.name });
  return {
    key: `member ${member.name}`,
    name,
    lane: null,
    conversation,
    dot: memberDot(member),
    doing: isPerson ? "person" : "runs elsewhere",
    since: null,
    waiting: 0,
    unread: conversation === null ? 0 : (facts.unread[conversation] ?? 0),
    role: member.role,
  };
}

export function memberDot({ state }: Member): DotState {
  switch (state) {
    case "active":
      return "ready";
    case "idle":
      return "idle";
    case "working":
      return "working";
    case "blocked":
      return "asks";
    case "paused":
      return "paused";
    case "offline":
      return "offline";
    case "terminated":
      return "ended";
    default:
      return state satisfies never;
  }
}

export function laneEntry(lane: Lane, facts: LaneFacts): Entry {
  const name = lane.displayName ?? lane.id;
  const unread = facts.unread[lane.id] ?? 0;
  const { id, waiting } = lane;
  return { key: id, name, lane: id, conversation: id, waiting, unread, role: null, ...laneState(lane, facts) };
}

export function laneState(lane: Lane, facts: LaneFacts): Pick<Entry, "dot" | "doing" | "since"> {
  const { asks, open, failed, activity } = facts;
  const ask = asks.find((one) => one.lane === lane.id);
  if (ask) return { dot: "asks", doing: "waiting for you", since: Date.parse(ask.since) };
  if (lane.pausedReason !== null) return { dot: "paused", doing: "paused", since: null };
  if (!lane.runtimeReady) return { dot: "offline", doing: `${lane.runtime} cannot be reached`, since: null };
  const running = activity.get(lane.id);
  const held = open.find((delivery) => delivery.lane === lane.id);
  if (held?.status === "retry_scheduled") return { dot: "working", doing: "will be asked again", since: null };
  if (running) return { dot: "working", doing: running.tool ?? "working", since: running.since };
  if (held) return { dot: "working", doing: "working", since: Date.parse(held.acceptedAt ?? held.createdAt) };
  const isFailed = failed.some((delivery) => delivery.lane === lane.id);
  return isFailed
    ? { dot: "failed", doing: "a message failed", since: null }
    : { dot: "idle", doing: null, since: null };
}

function lastName(directory: string): string {
  return directory.split("/").findLast((name) => name !== "") ?? directory;
}

/**
 * Carries out the plans of the core, for every adapter: names the facts, passes them to the plan, and turns a refusal
 * into an error. An adapter loads facts and writes rows; it decides nothing.
 *
 * Deciding is synchronous and pure, so a transaction consists of one load and one write: an embedded store runs it
 * without giving way to another one, and a shared store holds its locks for two round trips (ADR 25).
 */
import type { DeliveryEvent, OutgoingMail } from "../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import type { NewLane, UsageEntry } from "../core/lane/lane.ts";
import type { LogItem } from "../core/log/log-item.ts";
import type { Address } from "../core/message/message.ts";
import type {
  AdmissionFacts,
  AdmissionRequest,
  DeliveryFacts,
  HandOverFacts,
  RebuildFacts,
} from "../core/plan/delivery-plans.ts";
import { planAdmission, planAlert, planEvents, planHandOver, planRebuild } from "../core/plan/delivery-plans.ts";
import type { ForkFacts, LaneFacts, LaneFork, LastEvents, SessionFacts, UsageFacts } from "../core/plan/lane-plans.ts";
import { isFreshUsage, planAppend, planFork, planLaneChange, planSession, planUsage } from "../core/plan/lane-plans.ts";
import type { MemberFacts, NewLaneFacts, NewTeamFacts, RemovalFacts, TeamFacts } from "../core/plan/team-plans.ts";
import {
  planExchangeEnd,
  planMember,
  planMemberRemoval,
  planNewLane,
  planRemoval,
  planTeam,
  planTeamRemoval,
  planTeamState,
  planTermination,
} from "../core/plan/team-plans.ts";
import type { Plan, Refusal } from "../core/plan/writes.ts";
import type { NewMember, NewTeam } from "../core/team/team.ts";
import { refusalError } from "./known.ts";
import type { InboxFileStore, LaneStore, LedgerStore, LogStore, Staged, TeamStore, UsageStore } from "./port.ts";

/** What the plans have to know, as an embedded adapter loads it. A shared one returns promises of the same. */
export type Facts = {
  lane(id: string): LaneFacts;
  newLane(lane: NewLane): NewLaneFacts;
  laneRemoval(id: string): RemovalFacts;
  session(wanted: { laneId: string; sessionId: string }): SessionFacts;
  fork(fork: LaneFork): ForkFacts;
  team(name: string): TeamFacts;
  newTeam(team: NewTeam): NewTeamFacts;
  member(member: NewMember): MemberFacts;
  /** All held deliveries, oldest first. */
  held(wanted: undefined): readonly DeliveryRecord[];
  admission(request: AdmissionRequest): AdmissionFacts;
  events(wanted: { id: string; events: readonly DeliveryEvent[]; mail: readonly OutgoingMail[] }): DeliveryFacts;
  rebuild(record: DeliveryRecord): RebuildFacts;
  handOver(wanted: { recipient: Address; messageId: string }): HandOverFacts;
  lastEvents(lanes: readonly string[]): LastEvents;
  /** Whether the alert was raised before. */
  isRaised(id: string): boolean;
  usage(wanted: { laneId: string; entries: readonly UsageEntry[] }): UsageFacts;
  none(wanted: undefined): undefined;
};

export type FactName = keyof Facts;
export type Wanted<Name extends FactName> = Parameters<Facts[Name]>[0];
export type Known<Name extends FactName> = ReturnType<Facts[Name]>;

/** What an adapter does with a plan. */
export type PlanAdapter = {
  /** In one transaction: loads the facts, decides, and writes the plan's rows. Throws what `decide` throws. */
  stage<Name extends FactName, Result>(
    name: Name,
    wanted: Wanted<Name>,
    decide: (facts: Known<Name>) => Plan<Result>,
  ): Promise<Staged<Result>>;
  /** Loads facts outside of a transaction. */
  look<Name extends FactName>(name: Name, wanted: Wanted<Name>): Promise<Known<Name>>;
  /** Publishes items that are not stored, after everything that was written before. */
  pass(items: readonly LogItem[]): void;
};

type Names = Pick<LaneStore & TeamStore, "lanes" | "teams">;

export type PlannedVerbs = Omit<LaneStore, "lane" | "lanes" | "sessions"> &
  Omit<TeamStore, "team" | "teams" | "heldExchanges" | "heldFrom"> &
  Pick<InboxFileStore, "changeHandOver" | "noteInbox"> &
  Pick<LedgerStore, "admit" | "stageAdmission" | "apply" | "stage" | "rebuild"> &
  Pick<LogStore, "appendEvents" | "raise"> &
  Pick<UsageStore, "countUsage">;

export function plannedVerbs(adapter: PlanAdapter, names: Names, now: () => number): PlannedVerbs {
  const stage = async <Name extends FactName, Result>(
    name: Name,
    wanted: Wanted<Name>,
    decide: (facts: Known<Name>) => Plan<Result> | Refusal,
  ): Promise<Staged<Result>> => {
    let refusal: Refusal | null = null;
    const staged = await adapter.stage<Name, Result | null>(name, wanted, (facts) => {
      const plan = decide(facts);
      if (!("refused" in plan)) return plan;
      refusal = plan;
      return { result: null };
    });
    if (refusal) throw await refusalError(names, refusal);
    return staged as Staged<Result>;
  };
  const write = async <Name extends FactName, Result>(
    name: Name,
    wanted: Wanted<Name>,
    decide: (facts: Known<Name>) => Plan<Result> | Refusal,
  ): Promise<Result> => {
    const { result, durable } = await stage(name, wanted, decide);
    await durable;
    return result;
  };
  const stageAdmission = (request: AdmissionRequest) =>
    stage("admission", request, (facts) => planAdmission(facts, request, now()));
  const stageEvents = (id: string, events: readonly DeliveryEvent[], mail: readonly OutgoingMail[] = []) =>
    stage("events", { id, events, mail }, (facts) => planEvents(facts, events, mail));

  return {
    putLane: (lane) => write("newLane", lane, (facts) => planNewLane(facts, lane, now())),
    changeLane: (id, change) => write("lane", id, (facts) => planLaneChange(facts, change, now())),
    pauseLane: (id, pausedReason) => write("lane", id, (facts) => planLaneChange(facts, { pausedReason }, now())),
    removeLane: (id, at) => write("laneRemoval", id, (facts) => planRemoval(facts, at, now())),
    openSession: (laneId, sessionId, at) =>
      write("session", { laneId, sessionId }, (facts) => planSession(facts, { sessionId, at }, now())),
    forkLane: (fork, keep) => write("fork", fork, (facts) => planFork(facts, fork, keep, now())),

    putTeam: (team) => write("newTeam", team, (facts) => planTeam(facts, team, now())),
    removeTeam: (name) => write("team", name, (facts) => planTeamRemoval(facts, now())),
    setTeamState: (name, state) => write("team", name, (facts) => planTeamState(facts, state, now())),
    putMember: (member) => write("member", member, (facts) => planMember(facts, member, now())),
    removeMember: (team, name) => write("team", team, (facts) => planMemberRemoval(facts, name, now())),
    terminateMember: (team, name, at) => write("team", team, (facts) => planTermination(facts, name, at, now())),
    endExchange: (pair) => write("held", undefined, (held) => planExchangeEnd(held, pair)),

    changeHandOver: (recipient, messageId, change, at, restored = false) =>
      write("handOver", { recipient, messageId }, (facts) => planHandOver(facts, change, at, restored)),
    noteInbox: (note, laneId, at) =>
      write("none", undefined, () => ({
        result: undefined,
        writes: { log: [{ type: "inbox", at, laneId, ...note }] },
      })),

    stageAdmission,
    async admit(request) {
      const { result, durable } = await stageAdmission(request);
      await durable;
      return result;
    },
    stage: stageEvents,
    async apply(id, events, mail) {
      const { result, durable } = await stageEvents(id, events, mail);
      await durable;
      return result;
    },
    rebuild: (record) => write("rebuild", record, (facts) => planRebuild(facts, record)),

    async appendEvents(events, keep) {
      const lanes = new Set(events.flatMap(({ event, kept }) => (kept ? [event.lane] : [])));
      if (lanes.size > 0) return write("lastEvents", [...lanes], (last) => planAppend(last, events, keep));
      adapter.pass(
        events.map(({ event, text }) => {
          const at = Math.round(event.time);
          return { cursor: null, at, laneId: event.lane, type: "event", event, text };
        }),
      );
    },
    raise: (alert) => write("isRaised", alert.id, (isRaised) => planAlert(isRaised, alert)),

    async countUsage(laneId, entries) {
      // Most reads bring nothing new, and need no commit.
      const known = await adapter.look("usage", { laneId, entries });
      if (!entries.some((entry) => isFreshUsage(known, entry))) return;
      await write("usage", { laneId, entries }, (facts) => planUsage(facts, laneId, entries));
    },
  };
}

/** The part of the service that creates, shows and controls teams, and shows people their mail. */

import type { DeliveryRecord } from "../core/delivery/record.ts";
import { waitingMail } from "../core/delivery/texts.ts";
import { personAddress } from "../core/message/message.ts";
import { isSamePair, pairOf } from "../core/team/exchange.ts";
import type { Member, Team, TeamState } from "../core/team/team.ts";
import { isReserved, nameProblem } from "../core/team/team.ts";
import { mailContext } from "../courier/commit-events.ts";
import { AppError } from "../platform/app-error.ts";
import { knownLane, knownMember, knownTeam } from "../store/known.ts";
import { person } from "./deliveries.ts";
import type { Engine } from "./engine.ts";
import type { LaneServiceOptions } from "./lanes.ts";
import type { MemberSettings, Service, TeamDetail } from "./service.ts";

type TeamService = Pick<
  Service,
  | "teams"
  | "team"
  | "putTeam"
  | "importTeam"
  | "removeTeam"
  | "putMember"
  | "removeMember"
  | "pauseTeam"
  | "resumeTeam"
  | "stopTeam"
  | "shutDownMember"
  | "memberToken"
  | "inbox"
  | "markRead"
  | "unread"
  | "holds"
  | "releaseHold"
>;

type TeamServiceOptions = Pick<LaneServiceOptions, "engine" | "resolveDirectory" | "now">;

export function teamService({ engine, now, resolveDirectory }: TeamServiceOptions): TeamService {
  const { store, courier, interventions, memberStates, tokens } = engine;
  const detailOf = async (team: Team): Promise<TeamDetail> => {
    memberStates.follow();
    const members = team.members.map(async (member) => ({
      ...member,
      state: await memberStates.stateOf(team, member),
      contract: (member.lane === null ? null : await store.lane(member.lane))?.contract ?? null,
    }));
    return { ...team, members: await Promise.all(members), notices: engine.teamFiles.notices(team.name) };
  };
  const known = (written: string) => knownTeam(store, written);
  const knownIn = (team: string, member: string) => knownMember(store, { team, member });
  const lanesOf = ({ members }: Team) => members.flatMap(({ lane }) => (lane === null ? [] : [lane]));
  /** A lane that waited for its team may continue. */
  const moveLanes = (lanes: readonly string[]) => {
    for (const lane of lanes) void courier.moveLane(lane, { reconcile: true });
  };
  const setState = async (name: string, state: TeamState): Promise<Team> => {
    const team = await store.setTeamState((await known(name)).name, state);
    moveLanes(lanesOf(team));
    return team;
  };

  return {
    teams: async () => Promise.all((await store.teams()).map(detailOf)),
    team: async (name) => detailOf(await known(name)),
    async putTeam({ name, displayName }) {
      refuseName("team", name, null);
      return detailOf(await store.putTeam({ name, displayName, createdAt: now() }));
    },
    async importTeam(team) {
      if (team.name !== null) refuseName("team", team.name, null);
      const directory = resolveDirectory(team.directory);
      const { importTeam } = await import("./import-team.ts");
      return detailOf(await importTeam({ ...team, directory }, engine));
    },
    async removeTeam(name) {
      const team = await known(name);
      await store.removeTeam(team.name);
      moveLanes(lanesOf(team));
    },
    async putMember(teamName, settings) {
      const team = await known(teamName);
      const { contract, ...member } = await memberFrom(settings, team, engine);
      await store.putMember({ ...member, team: team.name, createdAt: now() });
      // Adding a member that was shut down brings it back.
      const changed = await store.terminateMember(team.name, member.name, null);
      if (member.lane !== null && contract !== null) await store.changeLane(member.lane, { contract });
      moveLanes([...lanesOf(team), ...lanesOf(changed)]);
      return detailOf(changed);
    },
    async removeMember(teamName, name) {
      const member = await knownIn(teamName, name);
      const team = await store.removeMember(member.team, member.name);
      moveLanes(member.lane === null ? [] : [member.lane]);
      return detailOf(team);
    },
    pauseTeam: async (name) => detailOf(await setState(name, "paused")),
    resumeTeam: async (name) => detailOf(await setState(name, "active")),
    async stopTeam(name) {
      const team = await setState(name, "stopped");
      for (const lane of lanesOf(team)) {
        await interventions.stop(lane, person);
        await tellThoseWhoWait(lane, team, engine, now());
      }
      return detailOf(team);
    },
    async shutDownMember(teamName, name) {
      const member = await knownIn(teamName, name);
      const team = await store.terminateMember(member.team, member.name, now());
      if (member.lane !== null) {
        await interventions.stop(member.lane, person);
        await tellThoseWhoWait(member.lane, team, engine, now());
      }
      return detailOf(team);
    },
    async memberToken(teamName, name) {
      const member = await knownIn(teamName, name);
      if (member.kind !== "native") throw noToken(member);
      const token = await tokens.tokenOf({ kind: "member", team: member.team, member: member.name });
      if (token === null) throw noToken(member);
      return token;
    },
    inbox: (name, filter) => store.inbox(personAddress(name), filter),
    markRead: (name, ids) => store.markRead(personAddress(name), ids, now()),
    async unread(name) {
      const counts = await store.unreadByConversation(personAddress(name));
      const total = counts.reduce((sum, { count }) => sum + count, 0);
      const lanes = counts.flatMap(({ laneId, count }) => (laneId === null ? [] : [[laneId, count]]));
      const members = counts.flatMap(({ member, count }) => (member === null ? [] : [[member, count]]));
      return { total, lanes: Object.fromEntries(lanes), members: Object.fromEntries(members) };
    },
    holds: () => store.heldExchanges(),
    async releaseHold(lanes) {
      const pair = pairOf(...lanes);
      const isHeld = (await store.heldExchanges()).some((held) => isSamePair(held, pair));
      let released = 0;
      // Messages are released first: after a crash in between, the pair is still held, and a person can release it
      // again.
      for (let held = await store.endExchange(pair); held.length > 0; held = await store.endExchange(pair)) {
        for (const record of held) await release(record, engine, now());
        released += held.length;
      }
      if (released === 0 && !isHeld) throw notHeld(lanes);
      return released;
    },
  };
}

async function release(record: DeliveryRecord, { ledger, courier }: Engine, at: number): Promise<void> {
  await ledger.commit(record.id, [{ type: "released", at, by: person }]);
  void courier.moveLane(record.laneId);
}

async function memberFrom({ name, kind, ...settings }: MemberSettings, team: Team, { store }: Engine) {
  const existing = team.members.find((member) => member.name === name);
  const role = settings.role ?? null;
  refuseName("member", name, role);
  if (settings.displayName !== null && isReserved(settings.displayName)) {
    throw invalidMember(`"${settings.displayName}" already means somebody else.`, "Give another display name.");
  }
  if (kind !== "lane" && settings.lane !== null) {
    throw invalidMember(
      `A member of kind "${kind}" has no lane.`,
      "Leave the lane out, or make it a member of kind lane.",
    );
  }
  if (kind !== "lane" && settings.contract !== null) {
    throw invalidMember(`A member of kind "${kind}" has no reply contract.`, "Leave the contract out.");
  }
  if (kind !== "lane") return { ...settings, name, kind, role, lane: null };
  const lane = settings.lane ?? existing?.lane ?? name;
  await knownLane(store, lane);
  return { ...settings, name, kind, role, lane };
}

/** Tells senders who wait for an answer that it will not come soon. */
async function tellThoseWhoWait(laneId: string, team: Team, engine: Engine, at: number): Promise<void> {
  const { store, ledger } = engine;
  const lane = await knownLane(store, laneId);
  const what = `${lane.teamHold ?? "held"}-${at}`;
  const why =
    lane.teamHold === "member_terminated"
      ? `${lane.member ?? lane.id} was shut down`
      : `team ${team.name} is stopped; it is delivered when the team is resumed`;
  for (const record of await store.openDeliveries(laneId)) {
    if (record.status !== "pending" && record.status !== "retry_scheduled") continue;
    const context = await mailContext(record, { ...engine, lane });
    for (const mail of waitingMail(record, { what, why }, context)) {
      await ledger.admit({ ...mail, delivery: mail.delivery ?? null, choice: null });
    }
  }
}

function refuseName(what: "team" | "member", name: string, role: Member["role"]): void {
  const problem = nameProblem(name, role);
  if (problem === null) return;
  throw new AppError({
    code: "name_invalid",
    message: `A ${what} cannot be called "${name.slice(0, 80)}": the name ${problem}.`,
    hint: "Names are slugs such as `core` or `tom`; add a display name for people to read.",
  });
}

function invalidMember(message: string, hint: string): AppError {
  return new AppError({ code: "member_invalid", message, hint });
}

function notHeld([one, other]: readonly [string, string]): AppError {
  return new AppError({
    code: "not_possible",
    message: `The agents of the lanes "${one}" and "${other}" are not held.`,
    hint: "`waybill holds` lists those that are.",
  });
}

function noToken({ name, kind }: Member): AppError {
  return invalidMember(
    `${name} is of kind "${kind}" and needs no token.`,
    kind === "lane"
      ? "Waybill passes it to its agent program automatically."
      : "People use the API, the page or the command line.",
  );
}

/** The part of the service that creates, changes and controls lanes. */

import type { Lane } from "../core/lane/lane.ts";
import { dayOf } from "../core/lane/lane.ts";
import { canonicalName, nameProblem } from "../core/team/team.ts";
import { knownLane } from "../store/known.ts";
import type { TeamStore } from "../store/port.ts";
import type { DeliveryServiceOptions } from "./deliveries.ts";
import { person, refuseWhileDraining } from "./deliveries.ts";
import type { Engine } from "./engine.ts";
import { checkedChoice, invalidLane } from "./lane-choice.ts";
import type { LaneNotices } from "./lane-notices.ts";
import type { LaneSettings, LaneState, Service } from "./service.ts";

type LaneService = Pick<
  Service,
  | "lanes"
  | "lane"
  | "putLane"
  | "renameLane"
  | "removeLane"
  | "abort"
  | "pause"
  | "resume"
  | "adoptSession"
  | "newSession"
  | "fork"
  | "release"
>;

export type LaneServiceOptions = DeliveryServiceOptions & {
  /** Refuses a directory in which no lane may work, and resolves symlinks. */
  resolveDirectory: (path: string) => string;
  now: () => number;
};

export function laneService(options: LaneServiceOptions & { notices: LaneNotices }): LaneService {
  const { engine, now, draining } = options;
  const { store, interventions, memberStates, courier } = engine;
  const stateOf = (lane: Lane) => laneState(engine, lane, options.notices, now());
  const changedLane = async (id: string, change: () => Promise<unknown>): Promise<LaneState> => {
    await knownLane(store, id);
    await change();
    return stateOf(await knownLane(store, id));
  };
  return {
    lanes: async () => Promise.all((await store.lanes()).map(stateOf)),
    lane: async (id) => stateOf(await knownLane(store, id)),
    async putLane(settings) {
      await refuseMembership(settings, store);
      const lane = await store.putLane(await newLane(settings, options));
      if (lane.team !== null) memberStates.follow();
      void courier.moveLane(lane.id, { reconcile: true });
      return stateOf(lane);
    },
    renameLane: (id, displayName) => changedLane(id, () => store.changeLane(id, { displayName })),
    async removeLane(id, force) {
      await knownLane(store, id);
      await interventions.removeLane(id, person, force);
    },
    abort: (id, alsoWaiting) => changedLane(id, () => interventions.stop(id, person, alsoWaiting)),
    pause: (id, reason) => changedLane(id, () => interventions.pause(id, reason)),
    resume: (id) => changedLane(id, () => interventions.resume(id)),
    adoptSession: (id, sessionId) => changedLane(id, () => interventions.adopt(id, sessionId)),
    newSession: (id, notSince) => changedLane(id, () => interventions.newSession(id, notSince ?? null)),
    async fork(id, before, as) {
      refuseWhileDraining(draining);
      const { pausedReason: _, sessionId: __, generation: ___, ...lane } = await knownLane(store, id);
      const directory = options.resolveDirectory(lane.directory);
      // A team member has only one lane.
      const forked = { ...lane, ...as, team: null, member: null, directory, createdAt: now() };
      return stateOf(await interventions.fork(id, before, forked));
    },
    release: (id) => changedLane(id, () => interventions.release(id, person)),
  };
}

/** A lane may create its member, but not take over an existing one. */
async function refuseMembership({ id, team, member }: LaneSettings, store: Pick<TeamStore, "team">): Promise<void> {
  if (team === null && member === null) return;
  if (team === null || member === null)
    throw invalidLane("A lane must name both its team and its member, or neither.", "Name both.");
  for (const name of [team, member]) {
    const problem = nameProblem(canonicalName(name));
    if (problem !== null)
      throw invalidLane(`"${name}" cannot be the name of a team or a member: it ${problem}.`, "Choose another one.");
  }
  const known = (await store.team(canonicalName(team)))?.members.find(({ name }) => name === canonicalName(member));
  if (!known || known.lane === id) return;
  const who = known.lane === null ? `of kind "${known.kind}"` : `in lane "${known.lane}"`;
  throw invalidLane(
    `Team "${team}" already has a member "${member}" ${who}.`,
    "Choose another name, or use `waybill teams add`.",
  );
}

async function newLane(settings: LaneSettings, options: LaneServiceOptions & { notices: LaneNotices }) {
  const { resolveDirectory, defaults, now, engine, notices } = options;
  const existing = await engine.store.lane(settings.id);
  const runtime = settings.runtime ?? existing?.runtime ?? defaults.runtime;
  const lane = {
    ...settings,
    runtime,
    ...checkedChoice({ ...settings, runtime }, options),
    directory: resolveDirectory(settings.directory),
    createdAt: existing?.createdAt ?? now(),
  };
  const unknown = await notices.check(lane);
  if (unknown) throw invalidLane(unknown.message, "Name another one, or leave it out.");
  return lane;
}

async function laneState(engine: Engine, lane: Lane, notices: LaneNotices, now: number): Promise<LaneState> {
  const { store, runtimes, courier } = engine;
  return {
    lane,
    runtimeReady: runtimes.has(lane.runtime),
    holder: await store.outstanding(lane.id),
    waiting: await store.waiting(lane.id),
    waitReason: courier.waitReason(lane.id),
    notices: await notices.soon(lane),
    usage: await store.usageOf(lane.id, dayOf(now)),
  };
}

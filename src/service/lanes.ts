/** The part of the service that makes, changes and controls lanes. */
import { AppError } from "../app-error.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { RuntimeDescriptor } from "../runtimes/descriptor.ts";
import { descriptorOf, withDefaultModel } from "../runtimes/descriptor.ts";
import { knownLane } from "../store/known-lane.ts";
import type { Engine } from "./engine.ts";
import type { LaneNotices } from "./lane-notices.ts";
import { laneState, person, refuseWhileDraining } from "./records.ts";
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
  | "fork"
  | "release"
>;

export type LaneServiceOptions = {
  waybill: Engine;
  /** Refuses a directory in which no lane may work, and resolves symlinks. */
  resolveDirectory: (path: string) => string;
  runtimeDescriptors: readonly RuntimeDescriptor[];
  defaults: { runtime: string; model: string | null };
  now: () => number;
  /** Whether new messages are refused because this process is about to end. */
  draining: () => boolean;
};

export function laneService(options: LaneServiceOptions & { notices: LaneNotices }): LaneService {
  const { waybill, now, draining } = options;
  const { store, people } = waybill;
  const stateOf = (lane: Lane) => laneState(waybill, lane, options.notices, now());
  const changedLane = async (id: string, change: () => Promise<unknown>): Promise<LaneState> => {
    await knownLane(store, id);
    await change();
    return stateOf(await knownLane(store, id));
  };
  return {
    lanes: async () => Promise.all((await store.lanes()).map(stateOf)),
    lane: async (id) => stateOf(await knownLane(store, id)),
    putLane: async (settings) => stateOf(await store.putLane(await newLane(settings, options))),
    renameLane: (id, displayName) => changedLane(id, () => store.changeLane(id, { displayName })),
    async removeLane(id, force) {
      await knownLane(store, id);
      await people.removeLane(id, person, force);
    },
    abort: (id) => changedLane(id, () => people.stop(id, person)),
    pause: (id, reason) => changedLane(id, () => people.pause(id, reason)),
    resume: (id) => changedLane(id, () => people.resume(id)),
    adoptSession: (id, sessionId) => changedLane(id, () => people.adopt(id, sessionId)),
    async fork(id, before, as) {
      refuseWhileDraining(draining);
      const { pausedReason: _, sessionId: __, generation: ___, ...lane } = await knownLane(store, id);
      const directory = options.resolveDirectory(lane.directory);
      // A member of a team is one lane.
      const forked = { ...lane, ...as, team: null, member: null, directory, createdAt: now() };
      return stateOf(await people.fork(id, before, forked));
    },
    release: (id) => changedLane(id, () => people.release(id, person)),
  };
}

async function newLane(settings: LaneSettings, options: LaneServiceOptions & { notices: LaneNotices }) {
  const { resolveDirectory, defaults, now, waybill, notices } = options;
  const existing = await waybill.store.lane(settings.id);
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

/** The lane's agent and model with defaults filled in, refused where they do not go together. */
export function checkedChoice(
  lane: Pick<Lane, "runtime" | "agent" | "model">,
  { runtimeDescriptors, defaults }: Pick<LaneServiceOptions, "runtimeDescriptors" | "defaults">,
) {
  const descriptor = descriptorOf(lane.runtime, runtimeDescriptors);
  const problem = descriptor.laneProblem(lane);
  if (problem) throw invalidLane(`The lane's ${problem.key} ${problem.reason}.`, problem.hint);
  return withDefaultModel(descriptor, lane, defaults.model);
}

function invalidLane(message: string, hint: string): AppError {
  return new AppError({ code: "lane_invalid", message, hint });
}

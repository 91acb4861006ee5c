/** The service that transports call, on a running engine. */
import { dayBefore, dayOf } from "../core/lane/lane.ts";
import { attachmentUnknown } from "../mail/attachments/attachment-files.ts";
import { knownLane } from "../store/known.ts";
import { deliveryService, refuseWhileDraining } from "./deliveries.ts";
import { listDirectories } from "./directories.ts";
import type { Engine } from "./engine.ts";
import { followLog } from "./follow-log.ts";
import { laneNotices } from "./lane-notices.ts";
import type { LaneServiceOptions } from "./lanes.ts";
import { laneService } from "./lanes.ts";
import type { ReadinessSource } from "./readiness.ts";
import { readinessOf } from "./readiness.ts";
import { runtimePrograms, runtimeStates } from "./runtime-states.ts";
import type { Service, StatsReport } from "./service.ts";
import { teamService } from "./teams.ts";
import { workspace } from "./workspace/workspace.ts";

export type ServiceOptions = ReadinessSource &
  LaneServiceOptions & {
    allowedDirectories: readonly string[];
    /** Where Waybill keeps its state, under every name of that directory. */
    stateDirectories: readonly string[];
    restart: () => void;
    checkRestart: () => void;
  };

/** For a page of a lane's events: a few large ones are enough for a reader. */
const maxPageCharacters = 1024 * 1024;

export function createService(options: ServiceOptions): Service {
  const { engine, now } = options;
  const { store, interventions } = engine;
  const notices = laneNotices(engine, now);
  /** The events of a removed lane can still be read; a lane without any events is an error. */
  const refuseUnknownLane = async (lane: string) => {
    if ((await store.lastEventSeq(lane)) === 0) await knownLane(store, lane);
  };
  return {
    ...deliveryService(options),
    ...attachmentService(options),
    ...laneService({ ...options, notices }),
    ...teamService(options),

    async asks() {
      const open = engine.asks.list();
      if (open.length === 0) return [];
      const directories = new Map((await store.lanes()).map(({ id, directory }) => [id, directory]));
      return open.map((ask) => ({ ...ask, directory: directories.get(ask.laneId) ?? null }));
    },
    answer: (askId, { decision, answers, message }) =>
      interventions.answer(askId, { decision, ...(answers ? { answers } : {}), ...(message ? { message } : {}) }),

    follow: (options) => followLog(store, options),
    async log(query) {
      const page = await store.readLog(query);
      if (query.lane !== undefined && page.items.length === 0) await refuseUnknownLane(query.lane);
      return page;
    },
    logEnd: store.logEnd,
    async turn(laneId) {
      await knownLane(store, laneId);
      return engine.recorder.turn(laneId);
    },
    eventsBefore: (laneId, seq, limit) => store.eventsBefore(laneId, seq, limit),
    async laneEvents(laneId, { before, limit }) {
      const events = await store.eventsBefore(laneId, before, limit, maxPageCharacters);
      const oldest = events.at(-1);
      if (!oldest) await refuseUnknownLane(laneId);
      const older = oldest ? await store.eventsBefore(laneId, oldest.seq, 1) : [];
      return { events, nextBefore: older.length > 0 && oldest ? oldest.seq : null };
    },
    runtimes: (directory) => runtimeStates(engine, options.defaults, directory),
    programs: () => runtimePrograms(engine, options.defaults),
    workspace: async (directory) => workspace(directory, { ...options, lanes: await store.lanes() }),
    directories: (path) => listDirectories(path, options),
    readiness: () => readinessOf(engine, { ...options, notices }, now()),
    settled: store.settled,
    counts: () => store.counts(),
    stats: (filter) => statsOf(engine, filter, now()),
    restart: options.restart,
    checkRestart: options.checkRestart,
  };
}

type AttachmentService = Pick<Service, "storeAttachment" | "attachment">;

/** Stores and returns files for messages. */
function attachmentService(options: { engine: Engine; draining: AbortSignal }): AttachmentService {
  const { attachments } = options.engine;
  return {
    async storeAttachment(file) {
      refuseWhileDraining(options.draining);
      return attachments.store(file);
    },
    async attachment(id) {
      const found = await attachments.find(id);
      if (!found) throw attachmentUnknown(id);
      return found;
    },
  };
}

/** Statistics by day. */
async function statsOf(
  { store }: Engine,
  { days, lane }: { days: number; lane?: string | undefined },
  now: number,
): Promise<StatsReport> {
  const from = dayBefore(now, days - 1);
  const found = await store.dayStats({ from, laneId: lane });
  // Days of a removed lane can still be read; a lane that never had any is an error.
  if (lane !== undefined && found.length === 0) await knownLane(store, lane);
  return { from, to: dayOf(now), days: found };
}

/** The service: what transports ask for, on a running engine. */
import { knownLane } from "../store/known-lane.ts";
import { attachmentService } from "./attachments.ts";
import { deliveryService } from "./deliveries.ts";
import { followLog } from "./follow-log.ts";
import { laneNotices } from "./lane-notices.ts";
import type { LaneServiceOptions } from "./lanes.ts";
import { laneService } from "./lanes.ts";
import type { ReadinessSource } from "./readiness.ts";
import { readinessOf } from "./readiness.ts";
import { runtimeStates } from "./runtime-states.ts";
import type { Service } from "./service.ts";
import { teamService } from "./teams.ts";
import { workspace } from "./workspace.ts";

export type ServiceOptions = ReadinessSource &
  LaneServiceOptions & {
    allowedDirectories: readonly string[];
    /** Where Waybill keeps its state, under every name that this directory has. */
    stateDirectories: readonly string[];
    restart: () => void;
  };

export function createService(options: ServiceOptions): Service {
  const { waybill, now } = options;
  const { store, people } = waybill;
  const notices = laneNotices(waybill, now);
  return {
    ...deliveryService(options),
    ...attachmentService(options),
    ...laneService({ ...options, notices }),
    ...teamService(options),

    asks: async () => waybill.asks.list(),
    answer: (askId, { decision, answers, message }) =>
      people.answer(askId, { decision, ...(answers ? { answers } : {}), ...(message ? { message } : {}) }),

    follow: (options) => followLog(store, options),
    async log(query) {
      const page = await store.readLog(query);
      // What happened in a removed lane can still be read; a lane in which nothing ever happened is a mistake.
      const { lane } = query;
      const isEmpty = lane !== undefined && page.items.length === 0;
      if (isEmpty && (await store.lastEventSeq(lane)) === 0) await knownLane(store, lane);
      return page;
    },
    logEnd: store.logEnd,
    eventsBefore: (laneId, seq, limit) => store.eventsBefore(laneId, seq, limit),
    runtimes: (directory) => runtimeStates(waybill, options.defaults, directory),
    workspace: async (directory) => workspace(directory, { ...options, lanes: await store.lanes() }),
    readiness: () => readinessOf(waybill, { ...options, notices }, now()),
    settled: store.settled,
    counts: () => store.counts(),
    restart: options.restart,
  };
}

/** The service: what transports ask, carried out on a running Waybill. */
import { followEvents } from "../events/follow-events.ts";
import { deliveryService } from "./deliveries.ts";
import { followFeed } from "./follow-feed.ts";
import { laneNotices } from "./lane-notices.ts";
import type { LaneServiceOptions } from "./lanes.ts";
import { laneService } from "./lanes.ts";
import type { ReadinessSource } from "./readiness.ts";
import { readinessOf } from "./readiness.ts";
import { serviceRecords } from "./records.ts";
import { runtimeStates } from "./runtime-states.ts";
import type { Service } from "./service.ts";
import { workspace } from "./workspace.ts";

export type ServiceOptions = ReadinessSource &
  LaneServiceOptions & {
    allowedDirectories: readonly string[];
    /** Where Waybill keeps its state, under all of the names that the place has. */
    stateDirectories: readonly string[];
    restart: () => void;
  };

export function createService(options: ServiceOptions): Service {
  const { waybill, now } = options;
  const { store, people } = waybill;
  const notices = laneNotices(waybill, now);
  const records = serviceRecords(waybill, now, notices);
  /** What an agent did in a lane that has been removed can still be read; a name that never was one is a mistake. */
  const refuseUnheard = async (lane: string) => {
    if ((await store.lastEventSeq(lane)) === 0) await records.knownLane(lane);
  };

  return {
    ...deliveryService(options, records),
    ...laneService({ ...options, notices }, records),

    asks: async () => waybill.asks.list(),
    answer: (askId, { decision, answers }) => people.answer(askId, answers ? { decision, answers } : { decision }),

    follow: (wanted) => followFeed(store, wanted),
    feed: (after, limit) => store.feed(after, limit),
    async checkCursor(cursor) {
      await store.feed(cursor, 1);
    },
    now: () => store.feedEnd(),
    async events(filter) {
      const page = await store.events(filter);
      if (filter.lane !== undefined && page.events.length === 0) await refuseUnheard(filter.lane);
      return page;
    },
    followEvents: (wanted) => followEvents(waybill, wanted),
    eventsEnd: async () => waybill.recorder.newest,
    eventsBefore: (laneId, seq, limit) => store.eventsBefore(laneId, seq, limit),
    runtimes: (directory) => runtimeStates(waybill, options.defaults, directory),
    workspace: async (directory) => workspace(directory, { ...options, lanes: await store.lanes() }),
    readiness: () => readinessOf(waybill, { ...options, notices }, now()),
    counts: () => store.counts(),
    restart: options.restart,
  };
}

/** The service: what transports ask for, on a running engine. */
import { followEvents } from "../events/follow-events.ts";
import { knownLane } from "../store/known-lane.ts";
import { deliveryService } from "./deliveries.ts";
import { followFeed } from "./follow-feed.ts";
import { laneNotices } from "./lane-notices.ts";
import type { LaneServiceOptions } from "./lanes.ts";
import { laneService } from "./lanes.ts";
import type { ReadinessSource } from "./readiness.ts";
import { readinessOf } from "./readiness.ts";
import { runtimeStates } from "./runtime-states.ts";
import type { Service } from "./service.ts";
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
    ...laneService({ ...options, notices }),

    asks: async () => waybill.asks.list(),
    answer: (askId, { decision, answers }) => people.answer(askId, answers ? { decision, answers } : { decision }),

    follow: (options) => followFeed(store, options),
    feed: (after, limit) => store.feed(after, limit),
    async checkCursor(cursor) {
      await store.feed(cursor, 1);
    },
    now: () => store.feedEnd(),
    async events(filter) {
      const page = await store.events(filter);
      // The events of a removed lane can still be read; a lane that never had any is a mistake.
      const { lane } = filter;
      const isEmpty = lane !== undefined && page.events.length === 0;
      if (isEmpty && (await store.lastEventSeq(lane)) === 0) await knownLane(store, lane);
      return page;
    },
    followEvents: (options) => followEvents(waybill, options),
    eventsEnd: async () => waybill.recorder.newest,
    eventsBefore: (laneId, seq, limit) => store.eventsBefore(laneId, seq, limit),
    runtimes: (directory) => runtimeStates(waybill, options.defaults, directory),
    workspace: async (directory) => workspace(directory, { ...options, lanes: await store.lanes() }),
    readiness: () => readinessOf(waybill, { ...options, notices }, now()),
    counts: () => store.counts(),
    restart: options.restart,
  };
}

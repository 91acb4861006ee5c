/** How the service finds deliveries and lanes, and what it says of each. What is not there is an error with a next step. */
import { AppError } from "../app-error.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { dayOf } from "../core/lane/daily-limit.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Engine } from "./engine.ts";
import type { LaneNotices } from "./lane-notices.ts";
import type { DeliveryState, LaneState } from "./service.ts";

export type ServiceRecords = {
  stateOf(record: DeliveryRecord): Promise<DeliveryState>;
  known(deliveryId: string): Promise<DeliveryRecord>;
  laneState(lane: Lane): Promise<LaneState>;
  knownLane(id: string): Promise<Lane>;
};

export function serviceRecords(waybill: Engine, now: () => number, notices: LaneNotices): ServiceRecords {
  const { store } = waybill;
  return {
    async stateOf(record) {
      if (record.status !== "pending") return { record, queuedBehind: null };
      const ahead = (await store.outstanding(record.laneId)) ?? (await store.head(record.laneId));
      return { record, queuedBehind: ahead && ahead.id !== record.id ? ahead.messageId : null };
    },
    async known(id) {
      const record = await store.delivery(id);
      if (record) return record;
      throw new AppError({
        code: "delivery_unknown",
        message: `There is no delivery "${id}".`,
        hint: "`waybill deliveries` lists them; those that ended well are removed after some days.",
      });
    },
    laneState: async (lane) => ({
      lane,
      runtimeReady: waybill.runtimes.has(lane.runtime),
      holder: await store.outstanding(lane.id),
      waiting: await store.waiting(lane.id),
      waitReason: waybill.courier.waitReason(lane.id),
      notices: await notices.soon(lane),
      usage: await store.usageOf(lane.id, dayOf(now())),
    }),
    async knownLane(id) {
      const lane = await store.lane(id);
      if (lane) return lane;
      const hint = await knownLanes(waybill);
      throw new AppError({ code: "lane_unknown", message: `There is no lane "${id}".`, hint });
    },
  };
}

async function knownLanes({ store }: Engine): Promise<string> {
  const ids = (await store.lanes()).map((lane) => lane.id).join(", ");
  return ids === "" ? "No lane has been set up yet." : `Known lanes: ${ids}.`;
}

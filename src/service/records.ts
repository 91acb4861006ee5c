/** Finds deliveries and lanes for the service, with what else it shows of each. */
import { AppError } from "../app-error.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { dayOf } from "../core/lane/daily-limit.ts";
import type { Lane } from "../core/lane/lane.ts";
import type { Engine } from "./engine.ts";
import type { LaneNotices } from "./lane-notices.ts";
import type { DeliveryState, LaneState } from "./service.ts";

export async function deliveryState({ store }: Engine, record: DeliveryRecord): Promise<DeliveryState> {
  if (record.status !== "pending") return { record, queuedBehind: null };
  const ahead = (await store.outstanding(record.laneId)) ?? (await store.head(record.laneId));
  return { record, queuedBehind: ahead && ahead.id !== record.id ? ahead.messageId : null };
}

export async function knownDelivery({ store }: Engine, id: string): Promise<DeliveryRecord> {
  const record = await store.delivery(id);
  if (record) return record;
  throw new AppError({
    code: "delivery_unknown",
    message: `There is no delivery "${id}".`,
    hint: "`waybill deliveries` lists them; those that ended well are removed after some days.",
  });
}

export async function laneState(engine: Engine, lane: Lane, notices: LaneNotices, now: number): Promise<LaneState> {
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

/** The token belongs to the person whose daemon this is. */
export const person = "user";

export function refuseWhileDraining(draining: () => boolean): void {
  if (!draining()) return;
  throw new AppError({
    code: "draining",
    message: "This daemon is about to end and takes no new messages.",
    hint: "Send it again in a moment, under the same message id.",
    retryable: true,
  });
}

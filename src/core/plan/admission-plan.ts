/** What admitting a message writes: the message, its delivery, and what its sender changes about the lane. */
import type { DeliveryRecord } from "../delivery/record.ts";
import type { Lane, LaneChange } from "../lane/lane.ts";
import type { Message } from "../message/message.ts";
import { changedLane } from "./lane-plan.ts";
import type { Plan } from "./writes.ts";

export type Admission =
  | { outcome: "admitted" | "known"; message: Message; delivery: DeliveryRecord | null }
  /** The same id with another body. Nothing was changed. */
  | { outcome: "conflict" }
  /** The lane is not any more what was seen. Nothing was changed. */
  | { outcome: "lane_changed" };

/** What a message changes about its lane as it is admitted, decided by what was seen of it. */
export type LaneChoice = {
  laneVersion: number;
  /** Whether it had any deliveries. */
  wasUsed: boolean;
  change: LaneChange;
};

/** `delivery` is null for a person's mailbox. */
export type AdmissionRequest = {
  message: Message;
  payloadHash: string;
  delivery: DeliveryRecord | null;
  choice: LaneChoice | null;
};

export type AdmissionFacts = {
  /** What the recipient has under the same message id. */
  known: { message: Message; payloadHash: string; delivery: DeliveryRecord | null } | null;
  lane: Lane | null;
  /** Whether the lane has any deliveries; asked for only where there is a choice. */
  isUsed: boolean;
};

export type AdmissionPlan = Plan<Admission> | { refused: "lane_unknown" };

export function planAdmission(facts: AdmissionFacts, request: AdmissionRequest): AdmissionPlan {
  const { known, lane, isUsed } = facts;
  const { message, payloadHash, delivery, choice } = request;
  if (known && known.payloadHash !== payloadHash) return { result: { outcome: "conflict" } };
  if (known) return { result: { outcome: "known", message: known.message, delivery: known.delivery } };
  const messages = [{ message, payloadHash }];
  const result: Admission = { outcome: "admitted", message, delivery };
  if (!delivery) return { result, writes: { messages } };
  // It may have been removed since it was read.
  if (!lane) return { refused: "lane_unknown" };
  const isAsSeen = !choice || (choice.laneVersion === lane.version && choice.wasUsed === isUsed);
  if (!isAsSeen) return { result: { outcome: "lane_changed" } };
  const changed = choice && changedLane(lane, choice.change);
  return {
    result,
    writes: {
      messages,
      delivery,
      events: [{ type: "admitted", at: delivery.createdAt, record: delivery }],
      ...(changed && changed !== lane ? { lane: changed } : {}),
    },
  };
}

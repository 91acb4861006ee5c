/**
 * What a change writes to the store. Plans decide it from loaded facts; the adapter loads, plans and saves in one
 * transaction, and contains no rules.
 */

import type { DeliveryEvent, Effect, OutgoingMail } from "../delivery/delivery-event.ts";
import type { Alert, DeliveryRecord } from "../delivery/record.ts";
import type { UsageEntry } from "../lane/daily-limit.ts";
import type { Lane, LaneSession } from "../lane/lane.ts";
import type { NewEvent } from "../log/log-item.ts";
import type { DayStatsChange } from "../stats/day-stats.ts";
import type { Exchange } from "../team/exchange.ts";

export type Writes = {
  /** The lane's new state. */
  lane?: Lane;
  /** Removes the lane instead; its row stays, because its deliveries refer to it and its generations continue. */
  laneRemovedAt?: number;
  session?: LaneSession;
  /** Usage by the lane's agent. */
  usage?: readonly UsageEntry[];
  /** Agent events to add to the log. */
  agentEvents?: readonly NewEvent[];
  /** Each is stored once: a message that its recipient already has stays unchanged. */
  messages?: readonly OutgoingMail[];
  /** A new delivery. Its message is the first of `messages`, or is already stored. */
  delivery?: DeliveryRecord;
  /** A changed delivery. Saved only if the stored one still has the version of `before`. */
  change?: { before: DeliveryRecord; record: DeliveryRecord };
  /** The delivery's events, oldest first; each adds one version, up to the record's. */
  events?: readonly DeliveryEvent[];
  /** When the delivery's message was read. */
  readAt?: number;
  /** What the end of the delivery changes in a day's statistics. */
  dayStats?: DayStatsChange;
  /** The updated exchange of a pair of agents. */
  exchange?: Exchange;
  /** A lane in which something else happened, which ends its exchanges. */
  exchangesEnded?: string;
  alert?: Alert;
};

export type Applied =
  | { outcome: "applied"; record: DeliveryRecord; effects: readonly Effect[] }
  /** The events do not fit the record's current state, or another delivery holds the lane. */
  | { outcome: "refused"; reason: string; record: DeliveryRecord | null };

/** A plan that writes nothing has only a result. */
export type Plan<Result> = { result: Result; writes?: Writes };

/**
 * What a change writes to the store. Plans decide it from facts that an adapter has loaded; the adapter loads, plans and
 * saves in one transaction, and knows no rule.
 */
import type { Alert } from "../delivery/alert.ts";
import type { DeliveryEvent, Effect } from "../delivery/delivery-event.ts";
import type { OutgoingMail } from "../delivery/outgoing-mail.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import type { UsageEntry } from "../lane/daily-limit.ts";
import type { Lane, LaneSession } from "../lane/lane.ts";
import type { NewEvent } from "../log/log-item.ts";
import type { Message } from "../message/message.ts";
import type { Exchange } from "../team/exchange.ts";

export type Writes = {
  /** The lane as it is from now on. */
  lane?: Lane;
  /** Removes the lane instead; its row stays, because its deliveries refer to it and its generations go on. */
  laneRemovedAt?: number;
  session?: LaneSession;
  /** Used by the lane's agent. */
  usage?: readonly UsageEntry[];
  /** What agents did, added to the log. */
  agentEvents?: readonly NewEvent[];
  /** Each is stored once: a message that its recipient already has is left as it is. */
  messages?: readonly OutgoingMail[];
  /** A delivery that begins. Its message is the first of `messages`, or is stored already. */
  delivery?: DeliveryRecord;
  /** A delivery that changes. Saved only while the stored one still has the version of `before`. */
  change?: { before: DeliveryRecord; record: DeliveryRecord };
  /** What happened to the delivery, oldest first; one version each, up to the record's. */
  events?: readonly DeliveryEvent[];
  /** When the delivery's message was read. */
  readAt?: number;
  /** What a pair of agents has written to each other by now. */
  exchange?: Exchange;
  /** A lane in which something else happened than that. */
  exchangesEnded?: string;
  alert?: Alert;
};

export type BegunDelivery = { message: Message; delivery: DeliveryRecord };

export type Applied =
  /** `before` is the record as it was; one that begins has none. */
  | {
      outcome: "applied";
      record: DeliveryRecord;
      before?: DeliveryRecord;
      effects: readonly Effect[];
      /** Deliveries of the mail that was written with it, to agents. */
      begun?: readonly BegunDelivery[];
    }
  /** The events do not fit what the record has become, or the lane is held by another delivery. */
  | { outcome: "refused"; reason: string; record: DeliveryRecord | null };

/** A plan that writes nothing has only a result. */
export type Plan<Result> = { result: Result; writes?: Writes };

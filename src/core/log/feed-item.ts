/** Everything that happened, in one order, for those who follow along. */

import type { Alert } from "../delivery/alert.ts";
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import type { Lane } from "../lane/lane.ts";
import type { Mail } from "../message/message.ts";

/** A record, a lane or a message is shown as it is when it is read, which may be later than what happened to it. */
export type FeedItem = { cursor: string; at: number; laneId: string | null } & (
  | { type: "message"; message: Mail }
  | { type: "delivery"; event: DeliveryEvent; record: DeliveryRecord }
  /** Null once it was removed. */
  | { type: "lane"; lane: Lane | null }
  | { type: "alert"; alert: Alert }
  /** What came after the cursor is not kept any more: whoever reads has to look at everything anew. */
  | { type: "reset" }
);

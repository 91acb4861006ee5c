/** What a list of events makes of a record: all of them are taken, or none. Pure. */
import type { Lane } from "../lane/lane.ts";
import { isPaused } from "../lane/lane.ts";
import type { DeliveryEvent, Effect } from "./delivery-event.ts";
import { sendsPrompt } from "./delivery-event.ts";
import type { DeliveryRecord } from "./record.ts";
import type { Transition } from "./transition.ts";
import { transition } from "./transition.ts";

/** Nothing is sent in a lane that is paused or gone, whoever decided to send it. */
export function applyEvents(
  record: DeliveryRecord,
  events: readonly DeliveryEvent[],
  lane: Pick<Lane, "pausedReason"> | null,
): Transition {
  const maySend = lane !== null && !isPaused(lane);
  if (!maySend && events.some(sendsPrompt)) return { refused: true, reason: "lane_paused" };
  let current = record;
  const effects: Effect[] = [];
  for (const event of events) {
    const next = transition(current, event);
    if ("refused" in next) return next;
    current = next.record;
    effects.push(...next.effects);
  }
  return { record: current, effects };
}

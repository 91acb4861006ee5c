/** The next attempt of a delivery, as far as its session and its lane's limits allow it now. */

import type { DeliveryEvent } from "../core/delivery/delivery-event.ts";
import type { DeliveryRecord } from "../core/delivery/record.ts";
import { commitEvents, commitFailure } from "./commit-events.ts";
import type { StepContext, StepOutcome } from "./step-context.ts";
import { postpone } from "./step-context.ts";

export async function submit(record: DeliveryRecord, step: StepContext): Promise<StepOutcome> {
  const { lane, sender, limits, hints, clock } = step;
  // Before it is prepared: that may open a session, or end one.
  if (step.isHeld()) return "rests";
  const prepared = await sender.prepare(record, lane);
  switch (prepared.outcome) {
    case "ready":
      if (await limits.stops(lane)) return "rests";
      hints.follow(prepared.lane);
      return commitEvents(record, prepared.events, { ...step, lane: prepared.lane });
    case "impossible":
      return record.status === "responded"
        ? commitEvents(record, [notAsked(record, clock.now())], step)
        : commitFailure(record, prepared.reason, step);
    case "not_now":
      return record.status === "pending"
        ? postpone(step, prepared.reason)
        : commitEvents(record, [prepared.event], step);
    default:
      return prepared satisfies never;
  }
}

/** What was to be asked further is not asked: the delivery stays as it is, and gives its lane back. */
function notAsked({ nextAttempt }: DeliveryRecord, at: number): DeliveryEvent {
  return { type: "turn_ended", at, diagnostics: nextAttempt ? [`${nextAttempt.kind}_not_asked`] : [] };
}

/** The line below an answer with its time and cost. */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { duration } from "./amounts.ts";

/** Enough for most turns. The cost of a longer one is not shown. */
const maxEvents = 500;

export async function footerOf(record: DeliveryRecord, { service, clock }: TelegramContext): Promise<string> {
  const began = record.attemptList[0]?.submittedAt ?? record.createdAt;
  const events = await service.eventsBefore(record.laneId, null, maxEvents);
  const cost = turnCost(events, record.deliveredUserMessageId) ?? 0;
  return `\n\n_${duration(clock.now() - began)}${cost > 0 ? ` · ${dollars(cost)}` : ""}_`;
}

/** A turn often costs less than a cent. */
function dollars(cost: number): string {
  return `$${cost.toFixed(cost < 0.1 ? 4 : 2)}`;
}

/** `events` newest first; `prompt` is the id of the turn's prompt. Null if the cost is unknown. */
export function turnCost(events: readonly UniversalEvent[], prompt: string | null): number | null {
  const begun = events.find((event) => event.type === "turn.started" && event.data.prompt === prompt);
  if (!begun) return null;
  const usages = events.flatMap((event) =>
    event.type === "usage" && event.turn === begun.turn && event.session === begun.session ? [event.data] : [],
  );
  // The usage of the whole turn already includes that of its messages.
  const whole = usages.find(({ of }) => of === "turn");
  const counted = whole ? [whole] : usages;
  const costs = counted.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0);
}

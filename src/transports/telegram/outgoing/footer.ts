/** The line below an answer with its time and cost. */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { duration } from "./duration.ts";
import { turnCost } from "./turn-cost.ts";

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

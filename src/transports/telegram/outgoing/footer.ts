/** Time and cost below an answer. */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { duration } from "./duration.ts";

export async function footerOf(record: DeliveryRecord, { service, clock }: TelegramContext): Promise<string> {
  const began = record.attemptList[0]?.submittedAt ?? record.createdAt;
  const { usage } = await service.lane(record.laneId);
  const cost = usage.cost > 0 ? ` · $${usage.cost.toFixed(2)} today` : "";
  return `\n\n_${duration(clock.now() - began)}${cost}_`;
}

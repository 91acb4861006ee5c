/** Handles presses of a message's buttons: Why?, Withdraw, Stop and Retry. */

import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import { AppError } from "../../../platform/app-error.ts";
import { say } from "../outgoing/say.ts";
import { whyWords } from "../outgoing/why-words.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Press, Pressed } from "../updates/press.ts";
import { overWords } from "../updates/press.ts";

export type DeliveryAction = "why" | "withdraw" | "stop" | "retry";

/** The most that a Bot API alert shows. */
const maxAlert = 200;

export async function pressDelivery(
  action: DeliveryAction,
  name: string,
  press: Press,
  context: TelegramContext,
): Promise<Pressed> {
  const { service, bot } = context;
  const messageId = `telegram:${bot.id}:${press.place.chat}:${name}`;
  const [delivery] = (await service.deliveries({ messageId, limit: 1 })).items;
  if (!delivery) return { words: "Waybill no longer has this message.", isAlert: true };
  const { record } = delivery;
  try {
    switch (action) {
      case "why":
        return await why(record, press, context);
      case "withdraw":
        return await withdraw(record, context);
      case "stop":
        return await stop(record, context);
      case "retry":
        return await retry(record, context);
      default:
        return action satisfies never;
    }
  } catch (error) {
    // The delivery has just changed, or the action is not possible.
    if (!(error instanceof AppError) || error.retryable) throw error;
    return { words: error.message, isAlert: true };
  }
}

async function why({ id }: DeliveryRecord, press: Press, { service }: TelegramContext): Promise<Pressed> {
  const detail = await service.delivery(id);
  const { record } = detail;
  const attempts = record.attempts === 1 ? "1 attempt" : `${record.attempts} attempts`;
  const words = `${whyWords(detail)} (${record.status.replaceAll("_", " ")}, ${attempts})`;
  if (words.length <= maxAlert) return { words, isAlert: true };
  const row = say(press.place, `why:${press.update.id}`, words, { replyTo: press.messageId });
  return { words: "", writes: { outbox: [row] } };
}

async function withdraw(record: DeliveryRecord, { service }: TelegramContext): Promise<Pressed> {
  if (record.status === "cancelled") return { words: overWords };
  if (record.status !== "pending") return { words: "It was already sent.", isAlert: true };
  await service.withdraw(record.messageId, record.laneId);
  return { words: "Withdrawn." };
}

/** Never stops a later message of the lane. */
async function stop(record: DeliveryRecord, { service }: TelegramContext): Promise<Pressed> {
  if (record.status === "pending" || openStatuses.includes(record.status)) {
    await service.cancel(record.id);
    return { words: "Stopped." };
  }
  const { holder } = await service.lane(record.laneId);
  if (holder?.id !== record.id) return { words: overWords };
  // It was answered, but its turn is still running.
  await service.abort(record.laneId);
  return { words: "Stopped." };
}

async function retry(record: DeliveryRecord, { service }: TelegramContext): Promise<Pressed> {
  if (record.status !== "failed_terminal") return { words: overWords };
  await service.retry(record.id);
  return { words: "Trying again." };
}

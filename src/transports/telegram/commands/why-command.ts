/** `/why`: explains what happens next to the replied-to message, or to the oldest open one. */
import { explanation, wordsBehind } from "../../../core/delivery/outlook.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import { AppError } from "../../../platform/app-error.ts";
import type { DeliveryDetail, LaneState } from "../../../service/service.ts";
import { duration } from "../outgoing/amounts.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { excerpt } from "../text/excerpt.ts";
import { chatMessageOf } from "../updates/message-id.ts";
import type { Command, CommandCall } from "./command.ts";
import { answer, laneOfCall } from "./command.ts";

type Explained = Pick<DeliveryDetail, "record" | "outlook" | "queuedBehind">;

/** The core's explanation, without the ids of messages, which say nothing in a chat. */
export function whyWords({ record, outlook, queuedBehind }: Explained): string {
  const isQueued = outlook.next === "waits_in_line" && queuedBehind !== null;
  return explanation(
    record,
    isQueued ? { ...outlook, words: wordsBehind("an earlier message", queuedBehind) } : outlook,
  );
}

/** Older messages have long ended. */
const maxLooked = 200;

export const why: Command = {
  name: "why",
  description: "Explain what happens next to the message you reply to, or to the oldest open one",
  async run(call, context) {
    const state = await laneOfCall(call, context);
    const id = await deliveryMeant(call, state, context);
    if (id === null) return answer(call, "No message is open. Your next one is sent immediately.");
    return answer(call, whyText(await context.service.delivery(id), context.clock.now()));
  },
};

/** What is going on and why, what happens next, and what has happened so far. */
export function whyText(detail: DeliveryDetail, now: number): string {
  const { record, message, outlook } = detail;
  const when = outlook.at !== null && outlook.at > now ? ` Next check in ${duration(outlook.at - now)}.` : "";
  const attempts = record.attempts > 1 ? ` This is attempt ${record.attempts} of ${record.maxAttempts}.` : "";
  const age = `Status: ${record.status}, ${duration(now - record.createdAt)} old.`;
  return `> ${excerpt(message?.text ?? "")}\n\n${whyWords(detail)}${when}${attempts}\n\n${age}`;
}

async function deliveryMeant(
  { message: { place, repliesTo } }: CommandCall,
  { lane, holder }: LaneState,
  { service }: TelegramContext,
): Promise<string | null> {
  if (repliesTo === null) {
    if (holder) return holder.id;
    const { items } = await service.deliveries({
      lane: lane.id,
      statuses: ["pending", ...openStatuses],
      limit: maxLooked,
    });
    return items.at(-1)?.record.id ?? null;
  }
  const { items } = await service.deliveries({ lane: lane.id, limit: maxLooked });
  const found = items.find(({ record }) => {
    const named = chatMessageOf(record.messageId);
    return named?.chat === place.chat && named.message === repliesTo.messageId;
  });
  if (found) return found.record.id;
  throw new AppError({
    code: "message_unknown",
    message: "That is not a message to this topic's agent.",
    hint: "Reply to a message that you wrote to the agent, or use /why without a reply.",
  });
}

/** Why nothing happens to a message: the one that is replied to, or the oldest that is open. */
import { AppError } from "../../../app-error.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import type { DeliveryDetail, LaneState } from "../../../service/service.ts";
import { duration } from "../outgoing/duration.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { chatMessageOf } from "../updates/message-id.ts";
import type { Command, CommandCall } from "./command.ts";
import { answer } from "./command.ts";
import { excerpt } from "./queue-text.ts";
import { laneOfCall } from "./topic-lane.ts";

/** Older messages than that have long ended. */
const maxLooked = 200;

export const why: Command = {
  name: "why",
  description: "What happens next to a message: reply to it, or ask about the oldest open one",
  async run(call, context) {
    const state = await laneOfCall(call, context);
    const id = await deliveryMeant(call, state, context);
    if (id === null) return answer(call, "Nothing is open. What you write now is sent at once.");
    return answer(call, whyText(await context.service.delivery(id), context.clock.now()));
  },
};

/** One sentence about what happens next, and what went before. */
export function whyText({ record, message, outlook, queuedBehind }: DeliveryDetail, now: number): string {
  const words = queuedBehind === null ? outlook.words : "It waits for an earlier message to end.";
  const when = outlook.at !== null && outlook.at > now ? ` Next look in ${duration(outlook.at - now)}.` : "";
  const attempts = record.attempts > 1 ? ` This is attempt ${record.attempts} of ${record.maxAttempts}.` : "";
  const reason = record.lastReason === null ? "" : `\n\nLast reason: ${record.lastReason}`;
  const age = `Status: ${record.status}, ${duration(now - record.createdAt)} old.`;
  return `> ${excerpt(message?.text ?? "")}\n\n${words}${when}${attempts}\n\n${age}${reason}`;
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

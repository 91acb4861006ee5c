/** Where in Telegram something belongs: the message that it is about, and the topics that a lane concerns. */
import { nullIfRefused } from "../../../platform/app-error.ts";
import type { TelegramContext } from "../telegram-context.ts";
import type { Topic } from "../topics/topic.ts";
import { topicOfKey } from "../topics/topic.ts";
import { chatMessageOf } from "../updates/message-id.ts";

/** `message`: the number of the person's message in the chat. */
export type Origin = { topic: Topic; message: number; messageId: string };

/** Null for a message that came from elsewhere. */
export async function originOf(
  laneId: string,
  messageId: string,
  { service, topics }: Pick<TelegramContext, "service" | "topics">,
): Promise<Origin | null> {
  const named = chatMessageOf(messageId);
  if (!named) return null;
  const sent = await service.message(laneId, messageId);
  if (sent?.conversation == null) return null;
  // A crash may have come between admitting the message and storing the topic. The key is enough to answer.
  const topic = topics.find(sent.conversation) ?? topics.ofLane(laneId) ?? topicOfKey(sent.conversation);
  return topic ? { topic, message: named.message, messageId } : null;
}

/** The topic whose agent works in a lane, and those bound to it. */
export async function concernedTopics(
  laneId: string,
  { service, topics }: Pick<TelegramContext, "service" | "topics">,
): Promise<Topic[]> {
  const own = topics.ofLane(laneId);
  const known = await nullIfRefused(service.lane(laneId), "lane_unknown");
  // If the lane was removed, topics may still be bound to it by name.
  const bound = topics.boundTo(known?.lane ?? { id: laneId, team: null, member: null });
  return [...new Set([...(own && own.boundTo === null ? [own] : []), ...bound])];
}

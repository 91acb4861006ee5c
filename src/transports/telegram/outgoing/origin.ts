/** Where in Telegram something belongs: the message that it is about, and the topics that a lane concerns. */
import { AppError } from "../../../platform/app-error.ts";
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
  const bound = topics.boundTo(await membershipOf(laneId, service));
  return [...new Set([...(own && own.boundTo === null ? [own] : []), ...bound])];
}

async function membershipOf(laneId: string, service: TelegramContext["service"]) {
  try {
    return (await service.lane(laneId)).lane;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "lane_unknown") throw error;
    // The lane was removed, but topics may still be bound to it by name.
    return { id: laneId, team: null, member: null };
  }
}

/** Where in Telegram a message came from. */

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

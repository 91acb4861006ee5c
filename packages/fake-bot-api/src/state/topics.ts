/** Topics of a chat. A topic's id is the id of the message that opened it. */
import type { User } from "grammy/types";
import type { ChatState, StoredMessage, Topic } from "./chat.ts";
import { removeDraft } from "./drafts.ts";
import type { MessageContent } from "./messages.ts";
import { addMessage } from "./messages.ts";
import type { World } from "./world.ts";

const defaultIconColor = 0x6fb9f0;

export type NewTopic = { name: string; iconColor?: number | undefined; from: User };
export type TopicMessage = { topic: Topic; stored: StoredMessage };

export function openTopic(
  world: World,
  chat: ChatState,
  { name, iconColor = defaultIconColor, from }: NewTopic,
): TopicMessage {
  const id = chat.lastMessageId + 1;
  const topic: Topic = { id, name, closed: false, iconColor };
  chat.topics.set(id, topic);
  const content = { forum_topic_created: { name, icon_color: iconColor } };
  return { topic, stored: addMessage(world, chat, { from, content, thread: id }) };
}

export function renameTopic(world: World, chat: ChatState, topic: Topic, name: string, from: User): StoredMessage {
  topic.name = name;
  return noteIn(world, chat, topic, { forum_topic_edited: { name } }, from);
}

export function setTopicClosed(
  world: World,
  chat: ChatState,
  topic: Topic,
  closed: boolean,
  from: User,
): StoredMessage {
  topic.closed = closed;
  return noteIn(world, chat, topic, closed ? { forum_topic_closed: {} } : { forum_topic_reopened: {} }, from);
}

/** Also deletes the topic's messages. Telegram does not notify the bot. */
export function deleteTopic(world: World, chat: ChatState, topic: Topic): void {
  chat.topics.delete(topic.id);
  removeDraft(world, chat, topic.id);
  for (const [id, { message }] of chat.messages) {
    if (message.message_thread_id === topic.id) chat.messages.delete(id);
  }
  world.events.emit("change");
}

function noteIn(world: World, chat: ChatState, topic: Topic, content: MessageContent, from: User): StoredMessage {
  return addMessage(world, chat, { from, content, thread: topic.id });
}

/** Topics in forums, and in private chats if the bot has them enabled. */
import type { ForumTopic } from "grammy/types";
import { badRequest } from "../bot-api-error.ts";
import type { ChatState } from "../state/chat.ts";
import { hasTopics } from "../state/chat.ts";
import { deleteTopic, openTopic, renameTopic, setTopicClosed } from "../state/topics.ts";
import type { World } from "../state/world.ts";
import { findChat } from "./access.ts";
import { chatId, integer, type Method, method, text } from "./method.ts";

const maxNameLength = 128;

function findForum(world: World, id: number | string): ChatState {
  const chat = findChat(world, id);
  if (!hasTopics(chat, world.bot.has_topics_enabled)) throw badRequest("the chat is not a forum");
  const isAdministrator = chat.access.type === "member" && chat.access.isAdministrator;
  if (chat.info.type !== "private" && !isAdministrator) throw badRequest("not enough rights to manage topics");
  return chat;
}

function findTopic(world: World, args: { chat_id: number | string; message_thread_id: number }) {
  const chat = findForum(world, args.chat_id);
  const topic = chat.topics.get(args.message_thread_id);
  if (!topic) throw badRequest("message thread not found");
  return { chat, topic };
}

function checkName(name: string): string {
  if (name.trim() === "" || name.length > maxNameLength) throw badRequest("TOPIC_TITLE_EMPTY");
  return name.trim();
}

const place = { chat_id: chatId, message_thread_id: integer };

export const topicMethods: Record<string, Method> = {
  createForumTopic: method(
    { chat_id: chatId, name: text, icon_color: integer.optional() },
    (world, args): ForumTopic => {
      const chat = findForum(world, args.chat_id);
      const { topic } = openTopic(world, chat, {
        name: checkName(args.name),
        iconColor: args.icon_color,
        from: world.bot,
      });
      return { message_thread_id: topic.id, name: topic.name, icon_color: topic.iconColor };
    },
  ),

  editForumTopic: method({ ...place, name: text.optional() }, (world, args) => {
    const { chat, topic } = findTopic(world, args);
    if (args.name === undefined || args.name === topic.name) throw badRequest("TOPIC_NOT_MODIFIED");
    renameTopic(world, chat, topic, checkName(args.name), world.bot);
    return true;
  }),

  closeForumTopic: method(place, (world, args) => setClosed(world, args, true)),
  reopenForumTopic: method(place, (world, args) => setClosed(world, args, false)),

  deleteForumTopic: method(place, (world, args) => {
    const { chat, topic } = findTopic(world, args);
    deleteTopic(world, chat, topic);
    return true;
  }),
};

function setClosed(world: World, args: { chat_id: number | string; message_thread_id: number }, closed: boolean): true {
  const { chat, topic } = findTopic(world, args);
  if (topic.closed === closed) throw badRequest("TOPIC_NOT_MODIFIED");
  setTopicClosed(world, chat, topic, closed, world.bot);
  return true;
}

/** What people do with topics. The bot is notified of everything except a deletion. */
import type { User } from "grammy/types";
import type { ChatState, Topic } from "../state/chat.ts";
import { deleteTopic, openTopic, renameTopic, setTopicClosed } from "../state/topics.ts";
import type { World } from "../state/world.ts";
import { receiveStored } from "./incoming.ts";

export type TopicActions = {
  /** Returns the id of its thread. */
  createTopic(name: string, options?: { from?: User }): number;
  renameTopic(thread: number, name: string): void;
  closeTopic(thread: number): void;
  reopenTopic(thread: number): void;
  deleteTopic(thread: number): void;
};

export function topicActionsIn(world: World, chat: ChatState, defaultSender: () => User): TopicActions {
  const find = (thread: number): Topic => {
    const topic = chat.topics.get(thread);
    if (!topic) throw new Error(`The chat has no topic ${thread}.`);
    return topic;
  };
  const setClosed = (thread: number, closed: boolean) =>
    void receiveStored(world, chat, setTopicClosed(world, chat, find(thread), closed, defaultSender()));

  return {
    createTopic(name, { from = defaultSender() } = {}) {
      const { topic, stored } = openTopic(world, chat, { name, from });
      receiveStored(world, chat, stored);
      return topic.id;
    },
    renameTopic: (thread, name) =>
      void receiveStored(world, chat, renameTopic(world, chat, find(thread), name, defaultSender())),
    closeTopic: (thread) => setClosed(thread, true),
    reopenTopic: (thread) => setClosed(thread, false),
    deleteTopic: (thread) => deleteTopic(world, chat, find(thread)),
  };
}

/**
 * `/new`: opens a topic if the chat has topics, otherwise starts a new conversation in the same workspace. Handled
 * again after a crash, it opens a second topic only if the crash came between Telegram's answer and the commit.
 */
import { GrammyError } from "grammy";
import { z } from "zod";
import { AppError, notPossible } from "../../../platform/app-error.ts";
import { say } from "../outgoing/chat-row.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";
import { both } from "../telegram-context.ts";
import { laneOfTopic, shownWorkspace } from "../topics/recipient.ts";
import { newTopic } from "../topics/topic.ts";
import type { Command, CommandCall } from "./command.ts";
import { answer } from "./command.ts";

/** The Bot API's limit. */
const maxName = 128;

export const newConversation: Command = {
  name: "new",
  description: "Open a topic, or start a new conversation in a chat without topics",
  changesTopic: true,
  async run(call, context) {
    const { place } = call.message;
    const hasNoTopics = place.isPrivate && place.thread === null;
    const thread = hasNoTopics ? null : await openTopic(call, context);
    return thread === null ? freshSession(call, context) : announceTopic(call, thread, context);
  },
};

/** The thread of the new topic; null in a chat without topics. */
async function openTopic(call: CommandCall, context: TelegramContext): Promise<number | null> {
  const { api, box } = context;
  const key = openedKey(call);
  if (call.update.isAgain) {
    const opened = z.number().safeParse((await box.state()).get(key));
    if (opened.success) return opened.data;
  }
  try {
    const topic = await api.createForumTopic(call.message.place.chat, topicName(call, context));
    await box.write({ state: [{ key, value: topic.message_thread_id }] });
    return topic.message_thread_id;
  } catch (error) {
    if (!(error instanceof GrammyError) || error.error_code !== 400) throw error;
    if (/not a forum/i.test(error.description)) return null;
    if (!/not enough rights/i.test(error.description)) throw error;
    throw new AppError({
      code: "not_allowed",
      message: "The bot is not allowed to open topics here.",
      hint: "Make it an administrator with the right to manage topics, or open the topic yourself.",
    });
  }
}

function openedKey({ update }: CommandCall): string {
  return `opened:${update.id}`;
}

function topicName({ args, topic }: CommandCall, context: TelegramContext): string {
  const workspace = shownWorkspace(topic, context);
  return (args.replaceAll(/\s+/g, " ") || workspace.split("/").at(-1) || "New topic").slice(0, maxName);
}

function announceTopic(call: CommandCall, thread: number, context: TelegramContext): Handled {
  const { topics, clock } = context;
  const { message, update, topic } = call;
  const now = clock.now();
  const name = topicName(call, context);
  const place = { ...message.place, thread };
  const made = { ...newTopic(place, now), name, activeWorkspace: topic.activeWorkspace };
  const words = `This topic works in \`${shownWorkspace(made, context)}\` and has its own agent.`;
  const opened = {
    state: [...topics.keep(made, now), { key: openedKey(call), value: null }],
    outbox: [say(place, `new:${update.id}`, words)],
  };
  return both(opened, answer(call, `Opened the topic “${name}”.`));
}

async function freshSession(call: CommandCall, context: TelegramContext): Promise<Handled> {
  const { topic, update } = call;
  if (topic.boundTo) throw notPossible("This topic is bound to an agent that others use.", "Use /unbind first.");
  const lane = await laneOfTopic(topic, context);
  if (lane !== null) await newSession(lane, update.isAgain ? update.receivedAt : undefined, context);
  const workspace = shownWorkspace(topic, context);
  return answer(call, `Your next message starts a new conversation in \`${workspace}\`.`);
}

async function newSession(lane: string, notSince: number | undefined, { service }: TelegramContext): Promise<void> {
  try {
    await service.newSession(lane, notSince);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === "draining") throw error;
    const isBusy = error.code === "lane_in_use";
    throw new AppError({
      code: error.code,
      message: isBusy ? "The agent is still working on a message." : error.message,
      hint: isBusy ? "Wait for its answer or /stop it, then use /new again." : "Try again in a moment.",
      cause: error,
    });
  }
}

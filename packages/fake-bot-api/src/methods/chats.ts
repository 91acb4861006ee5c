/** Methods about chats, members, chat actions and reactions. */
import type { ChatMember, ReactionType } from "grammy/types";
import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";
import type { ChatState } from "../state/chat.ts";
import type { World } from "../state/world.ts";
import { findChat, findThread } from "./access.ts";
import { chatId, integer, json, type Method, method, text } from "./method.ts";
import { isReactionEmoji } from "./reaction-emoji.ts";

const chatActions = new Set([
  "typing",
  "upload_photo",
  "record_video",
  "upload_video",
  "record_voice",
  "upload_voice",
  "upload_document",
  "choose_sticker",
  "find_location",
  "record_video_note",
  "upload_video_note",
]);

const noGifts = {
  unlimited_gifts: false,
  limited_gifts: false,
  unique_gifts: false,
  premium_subscription: false,
  gifts_from_channels: false,
};

const reactionSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("emoji"), emoji: z.string() }),
  z.object({ type: z.literal("custom_emoji"), custom_emoji_id: z.string() }),
]);

function memberOf(world: World, chat: ChatState, userId: number): ChatMember {
  if (userId === world.bot.id) {
    const isAdministrator = chat.access.type === "member" && chat.access.isAdministrator;
    return { status: isAdministrator ? "administrator" : "member", user: world.bot } as ChatMember;
  }
  const member = chat.members.get(userId);
  if (member) return { status: member.status, user: member.user } as ChatMember;
  const user = world.users.get(userId);
  if (!user) throw badRequest("invalid user_id specified");
  return { status: "left", user };
}

export const chatMethods: Record<string, Method> = {
  getChat: method({ chat_id: chatId }, (world, args) => {
    const { info } = findChat(world, args.chat_id);
    return { ...info, accent_color_id: 0, max_reaction_count: 11, accepted_gift_types: noGifts };
  }),

  getChatMember: method({ chat_id: chatId, user_id: integer }, (world, args) =>
    memberOf(world, findChat(world, args.chat_id), args.user_id),
  ),

  sendChatAction: method({ chat_id: chatId, action: text, message_thread_id: integer.optional() }, (world, args) => {
    const chat = findChat(world, args.chat_id);
    const thread = findThread(world, chat, args.message_thread_id);
    if (!chatActions.has(args.action)) throw badRequest("wrong parameter action in request");
    chat.actions.push({ action: args.action, thread, at: world.clock.now() });
    world.events.emit("change");
    return true;
  }),

  setMessageReaction: method(
    { chat_id: chatId, message_id: integer, reaction: json(z.array(reactionSchema)).optional() },
    (world, args) => {
      const stored = findChat(world, args.chat_id).messages.get(args.message_id);
      if (!stored) throw badRequest("message to react not found");
      const reactions = args.reaction ?? [];
      if (reactions.length > 1) throw badRequest("REACTIONS_TOO_MANY");
      if (reactions.some((reaction) => reaction.type === "emoji" && !isReactionEmoji(reaction.emoji))) {
        throw badRequest("REACTION_INVALID");
      }
      stored.reactions.set(world.bot.id, reactions as ReactionType[]);
      world.events.emit("change");
      return true;
    },
  ),
};

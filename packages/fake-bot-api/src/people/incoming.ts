/** Notifies the bot of what people do, if it may see it. */
import type { Message, Update, User } from "grammy/types";
import type { ChatState, StoredMessage } from "../state/chat.ts";
import { addMessage, isGroup, type NewMessage } from "../state/messages.ts";
import type { UpdateFields } from "../state/update-queue.ts";
import { unixTime, type World } from "../state/world.ts";

export function receiveMessage(world: World, chat: ChatState, added: NewMessage): Message {
  const { message } = addMessage(world, chat, added);
  if (botMaySee(world, chat, message)) notifyBot(world, chat, { message: message as NonNullable<Update["message"]> });
  return message;
}

/** A message that is already in the chat. */
export function receiveStored(world: World, chat: ChatState, { message }: StoredMessage): Message {
  notifyBot(world, chat, { message: message as NonNullable<Update["message"]> });
  return message;
}

export function receiveEdit(world: World, chat: ChatState, message: Message): void {
  if (!botMaySee(world, chat, message)) return;
  notifyBot(world, chat, { edited_message: message as NonNullable<Update["edited_message"]> });
}

export function notifyBot(world: World, chat: ChatState, fields: UpdateFields): void {
  if (chat.access.type === "member") world.updates.add(fields);
}

/** In a group, a bot in privacy mode sees only messages addressed to it. */
function botMaySee(world: World, chat: ChatState, message: Message): boolean {
  if (!isGroup(chat) || world.bot.can_read_all_group_messages) return true;
  if (chat.access.type === "member" && chat.access.isAdministrator) return true;
  if (message.reply_to_message?.from?.id === world.bot.id) return true;
  const text = message.text ?? message.caption;
  if (text === undefined) return !("photo" in message || "document" in message || "voice" in message);
  const entities = message.entities ?? message.caption_entities ?? [];
  return entities.some(({ type, offset, length }) => {
    const word = text.slice(offset, offset + length).toLowerCase();
    if (type === "mention") return word === `@${world.bot.username.toLowerCase()}`;
    if (type !== "bot_command") return false;
    return !word.includes("@") || word.endsWith(`@${world.bot.username.toLowerCase()}`);
  });
}

type Status = "member" | "administrator" | "kicked" | "left";

/** Tells the bot that its own membership changed. */
export function notifyMembership(world: World, chat: ChatState, from: User, before: Status, after: Status): void {
  const { bot } = world;
  world.updates.add({
    my_chat_member: {
      chat: chat.info,
      from,
      date: unixTime(world),
      old_chat_member: { user: bot, status: before },
      new_chat_member: { user: bot, status: after },
    } as NonNullable<Update["my_chat_member"]>,
  });
}

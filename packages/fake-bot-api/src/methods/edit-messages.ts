/** Methods that change or delete messages. */
import { isDeepStrictEqual } from "node:util";
import type { Message } from "grammy/types";
import { badRequest } from "../bot-api-error.ts";
import { changeMessage, isGroup } from "../state/messages.ts";
import { unixTime, type World } from "../state/world.ts";
import { formatMessageText } from "../text/format-text.ts";
import { readRichMessage, richMessageSchema } from "../text/rich-message.ts";
import { findChat, findOwnMessage, takeTurn } from "./access.ts";
import { chatId, integer, json, type Method, method, text } from "./method.ts";
import { readKeyboard, replyMarkupSchema } from "./reply-markup.ts";
import { entities } from "./send-messages.ts";

const place = { chat_id: chatId, message_id: integer, reply_markup: json(replyMarkupSchema).optional() };
const deletableForS = 48 * 60 * 60;

type Change = {
  text?: string | undefined;
  entities?: Message["entities"] | undefined;
  rich_message?: Message["rich_message"] | undefined;
  reply_markup: Message["reply_markup"] | undefined;
};

function refuseSame(before: Message, change: Change): void {
  const same = Object.entries(change).every(([field, value]) =>
    isDeepStrictEqual(before[field as keyof Message], value),
  );
  if (!same) return;
  throw badRequest(
    "message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message",
  );
}

function newContent(args: {
  text?: string | undefined;
  parse_mode?: string | undefined;
  entities?: Message["entities"] | undefined;
  rich_message?: Parameters<typeof readRichMessage>[0] | undefined;
}): Omit<Change, "reply_markup"> {
  if (args.rich_message) {
    return { rich_message: readRichMessage(args.rich_message), text: undefined, entities: undefined };
  }
  const formatted = formatMessageText({ text: args.text ?? "", parseMode: args.parse_mode, entities: args.entities });
  const found = formatted.entities.length > 0 ? formatted.entities : undefined;
  return { text: formatted.text, entities: found, rich_message: undefined };
}

function deleteOne(world: World, chat: ReturnType<typeof findChat>, id: number): boolean {
  const stored = chat.messages.get(id);
  if (!stored) return false;
  const isOwn = stored.message.from?.id === world.bot.id;
  const isAdministrator = chat.access.type === "member" && chat.access.isAdministrator;
  const isTooOld = unixTime(world) - stored.message.date > deletableForS;
  if ((isGroup(chat) && !isOwn && !isAdministrator) || (isTooOld && !(isGroup(chat) && isAdministrator))) {
    throw badRequest("message can't be deleted");
  }
  chat.messages.delete(id);
  world.events.emit("change");
  return true;
}

export const editMethods: Record<string, Method> = {
  editMessageText: method(
    {
      ...place,
      text: text.optional(),
      parse_mode: text.optional(),
      entities,
      rich_message: json(richMessageSchema).optional(),
    },
    (world, args) => {
      if (args.rich_message && world.version === "old") throw badRequest("message text is empty");
      const chat = findChat(world, args.chat_id);
      const stored = findOwnMessage(world, chat, args.message_id);
      if (stored.message.text === undefined && !stored.message.rich_message) {
        throw badRequest("there is no text in the message to edit");
      }
      const change: Change = { ...newContent(args), reply_markup: readKeyboard(args.reply_markup) };
      refuseSame(stored.message, change);
      takeTurn(world, chat);
      return changeMessage(world, stored, { ...change, edit_date: unixTime(world) }, args.rich_message);
    },
  ),

  editMessageReplyMarkup: method(place, (world, args) => {
    const chat = findChat(world, args.chat_id);
    const stored = findOwnMessage(world, chat, args.message_id);
    const change: Change = { reply_markup: readKeyboard(args.reply_markup) };
    refuseSame(stored.message, change);
    takeTurn(world, chat);
    return changeMessage(world, stored, { ...change, edit_date: unixTime(world) }, stored.rich);
  }),

  deleteMessage: method({ chat_id: chatId, message_id: integer }, (world, args) => {
    if (!deleteOne(world, findChat(world, args.chat_id), args.message_id)) {
      throw badRequest("message to delete not found");
    }
    return true;
  }),
};

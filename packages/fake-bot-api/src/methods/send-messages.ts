/** Methods that put a text or a rich message into a chat. */
import type { Message } from "grammy/types";
import { z } from "zod";
import { badRequest } from "../bot-api-error.ts";
import type { MessageContent } from "../state/messages.ts";
import { addMessage } from "../state/messages.ts";
import type { World } from "../state/world.ts";
import { entitySchema } from "../text/entity.ts";
import { formatMessageText } from "../text/format-text.ts";
import type { RichInput } from "../text/rich-message.ts";
import { readRichMessage, richMessageSchema } from "../text/rich-message.ts";
import type { ReplyParameters } from "./access.ts";
import { findChat, findReply, findThread, replyParametersSchema, takeTurn } from "./access.ts";
import { chatId, integer, json, type Method, method, text } from "./method.ts";
import { type ReplyMarkup, readKeyboard, replyMarkupSchema } from "./reply-markup.ts";

/** Parameters of every method that sends. */
export const target = {
  chat_id: chatId,
  message_thread_id: integer.optional(),
  reply_parameters: json(replyParametersSchema).optional(),
  reply_to_message_id: integer.optional(),
  reply_markup: json(replyMarkupSchema).optional(),
};
export type Target = {
  chat_id: number | string;
  message_thread_id?: number | undefined;
  reply_parameters?: ReplyParameters | undefined;
  reply_to_message_id?: number | undefined;
  reply_markup?: ReplyMarkup | undefined;
};
export const entities = json(z.array(entitySchema)).optional();

/** Sends one or several messages to the same place; they count as one for the flood limits. */
export function sendTo(world: World, args: Target, contents: MessageContent[], rich?: RichInput): Message[] {
  const chat = findChat(world, args.chat_id);
  const thread = findThread(world, chat, args.message_thread_id);
  const replyTo = args.reply_to_message_id ? { message_id: args.reply_to_message_id } : undefined;
  const reply = findReply(chat, args.reply_parameters ?? replyTo);
  const keyboard = readKeyboard(args.reply_markup);
  takeTurn(world, chat);
  return contents.map((content) => {
    const complete = {
      ...content,
      ...(reply?.quote ? { quote: reply.quote } : {}),
      ...(keyboard ? { reply_markup: keyboard } : {}),
    };
    return addMessage(world, chat, { from: world.bot, content: complete, thread, replyTo: reply?.message, rich })
      .message;
  });
}

export const sendMethods: Record<string, Method> = {
  sendMessage: method({ ...target, text: text.optional(), parse_mode: text.optional(), entities }, (world, args) => {
    if (!args.text) throw badRequest("message text is empty");
    const formatted = formatMessageText({ text: args.text, parseMode: args.parse_mode, entities: args.entities });
    const found = formatted.entities.length > 0 ? { entities: formatted.entities } : {};
    return sendTo(world, args, [{ text: formatted.text, ...found }])[0];
  }),
};

export const sendRichMethods: Record<string, Method> = {
  sendRichMessage: method({ ...target, rich_message: json(richMessageSchema) }, (world, args) => {
    const rich = readRichMessage(args.rich_message);
    return sendTo(world, args, [{ rich_message: rich }], args.rich_message)[0];
  }),
};

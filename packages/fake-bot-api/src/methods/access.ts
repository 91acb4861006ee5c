/** Finds the chat, thread or message of a request, and refuses it like Telegram if the bot has no access. */
import { z } from "zod";
import { BotApiError, badRequest, forbidden, tooManyRequests } from "../bot-api-error.ts";
import type { ChatState, StoredMessage } from "../state/chat.ts";
import { hasTopics } from "../state/chat.ts";
import { isGroup } from "../state/messages.ts";
import type { World } from "../state/world.ts";
import { entitySchema } from "../text/entity.ts";

export function findChat(world: World, id: number | string): ChatState {
  const chat = lookUp(world, id);
  if (!chat) throw badRequest("chat not found");
  switch (chat.access.type) {
    case "member":
      return chat;
    case "blocked":
      throw forbidden("bot was blocked by the user");
    case "kicked":
      throw forbidden(`bot was kicked from the ${chat.info.type} chat`);
    case "migrated":
      throw new BotApiError(400, "Bad Request: group chat was upgraded to a supergroup chat", {
        migrate_to_chat_id: chat.access.to,
      });
    default:
      return chat.access satisfies never;
  }
}

function lookUp(world: World, id: number | string): ChatState | undefined {
  if (typeof id === "string" && id.startsWith("@")) {
    const name = id.slice(1).toLowerCase();
    // A private chat cannot be addressed by the user's name.
    return [...world.chats.values()].find(
      ({ info }) => info.type === "supergroup" && info.username?.toLowerCase() === name,
    );
  }
  return world.chats.get(Number(id));
}

/** Counts a write to a chat against the flood limits. */
export function takeTurn(world: World, chat: ChatState): void {
  const seconds = world.floodLimits.take(chat.info.id, isGroup(chat));
  if (seconds !== undefined) throw tooManyRequests(seconds);
}

export function findThread(world: World, chat: ChatState, id: number | undefined): number | undefined {
  if (!id) return undefined;
  const topic = hasTopics(chat, world.bot.has_topics_enabled) ? chat.topics.get(id) : undefined;
  if (!topic) throw badRequest("message thread not found");
  const mayWriteAnyway = chat.access.type === "member" && chat.access.isAdministrator;
  if (topic.closed && !mayWriteAnyway) throw badRequest("TOPIC_CLOSED");
  return id;
}

export const replyParametersSchema = z.object({
  message_id: z.number().int(),
  allow_sending_without_reply: z.boolean().optional(),
  quote: z.string().optional(),
  quote_entities: z.array(entitySchema).optional(),
  quote_position: z.number().int().optional(),
});
export type ReplyParameters = z.output<typeof replyParametersSchema>;

export type Reply = { message: StoredMessage; quote?: { text: string; position: number; is_manual: true } };

export function findReply(chat: ChatState, parameters: ReplyParameters | undefined): Reply | undefined {
  if (!parameters) return undefined;
  const message = chat.messages.get(parameters.message_id);
  if (!message) {
    if (parameters.allow_sending_without_reply) return undefined;
    throw badRequest("message to be replied not found");
  }
  const { quote } = parameters;
  if (!quote) return { message };
  const position = (message.message.text ?? message.message.caption ?? "").indexOf(quote, parameters.quote_position);
  if (position === -1) throw badRequest("QUOTE_TEXT_INVALID");
  return { message, quote: { text: quote, position, is_manual: true } };
}

/** A message that the bot may edit. */
export function findOwnMessage(world: World, chat: ChatState, id: number): StoredMessage {
  const stored = chat.messages.get(id);
  if (!stored) throw badRequest("message to edit not found");
  if (stored.message.from?.id !== world.bot.id) throw badRequest("message can't be edited");
  return stored;
}

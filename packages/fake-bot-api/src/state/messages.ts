/** Adds messages to chats and changes them. */
import type { Chat, Message, User } from "grammy/types";
import type { RichInput } from "../text/rich-message.ts";
import type { ChatState, StoredMessage } from "./chat.ts";
import { removeDraft } from "./drafts.ts";
import { unixTime, type World } from "./world.ts";

/** The content of a message; the envelope is added here. */
export type MessageContent = Omit<Partial<Message>, "message_id" | "date" | "chat" | "from">;

export type NewMessage = {
  from: User;
  content: MessageContent;
  thread?: number | undefined;
  replyTo?: StoredMessage | undefined;
  rich?: RichInput | undefined;
};

export function addMessage(world: World, chat: ChatState, added: NewMessage): StoredMessage {
  // In a forum, a message that is not a reply counts as a reply to the message that opened its topic.
  const opening = isGroup(chat) && added.thread !== undefined ? chat.messages.get(added.thread) : undefined;
  const replyTo = added.replyTo ?? opening;
  const message: Message = {
    message_id: ++chat.lastMessageId,
    from: plainUser(added.from),
    chat: chat.info,
    date: unixTime(world),
    ...(added.thread === undefined ? {} : { message_thread_id: added.thread, is_topic_message: true }),
    ...(replyTo ? { reply_to_message: withoutReply(replyTo.message) } : {}),
    ...added.content,
  };
  const stored: StoredMessage = { message, reactions: new Map(), ...(added.rich ? { rich: added.rich } : {}) };
  chat.messages.set(message.message_id, stored);
  if (added.from.id === world.bot.id) removeDraft(world, chat, added.thread);
  world.events.emit("change");
  return stored;
}

/** Replaces the content of a message; fields that are `undefined` are removed. */
export function changeMessage(
  world: World,
  stored: StoredMessage,
  content: { [Field in keyof MessageContent]: MessageContent[Field] | undefined },
  rich?: RichInput,
): Message {
  const entries = Object.entries({ ...stored.message, ...content });
  stored.message = Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as unknown as Message;
  if (rich) stored.rich = rich;
  else if ("text" in content) delete stored.rich;
  world.events.emit("change");
  return stored.message;
}

/** Telegram includes only one level of replies. */
function withoutReply({ reply_to_message: _, ...message }: Message): NonNullable<Message["reply_to_message"]> {
  return message as NonNullable<Message["reply_to_message"]>;
}

/** Messages contain fewer fields of the bot than `getMe`. */
function plainUser({ id, is_bot, first_name, last_name, username, language_code }: User): User {
  return {
    id,
    is_bot,
    first_name,
    ...(last_name === undefined ? {} : { last_name }),
    ...(username === undefined ? {} : { username }),
    ...(language_code === undefined ? {} : { language_code }),
  };
}

export function isGroup(chat: ChatState): chat is ChatState & { info: Chat.GroupChat | Chat.SupergroupChat } {
  return chat.info.type !== "private";
}

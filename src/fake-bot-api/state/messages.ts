/** Puts messages into chats and changes them. */
import type { Chat, Message, User } from "grammy/types";
import type { RichInput } from "../text/rich-message.ts";
import type { ChatState, StoredMessage } from "./chat.ts";
import { removeDraft } from "./drafts.ts";
import { unixTime, type World } from "./world.ts";

/** What a message says; everything around it is added here. */
export type MessageContent = Omit<Partial<Message>, "message_id" | "date" | "chat" | "from">;

export type NewMessage = {
  from: User;
  content: MessageContent;
  thread?: number | undefined;
  replyTo?: StoredMessage | undefined;
  rich?: RichInput | undefined;
};

export function addMessage(world: World, chat: ChatState, added: NewMessage): StoredMessage {
  // In a forum, a message that replies to nothing shows the message that opened its topic as the one it replies to.
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

/** Replaces the content of a message; fields that are `undefined` go. */
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

/** Telegram shows one level of a reply. */
function withoutReply({ reply_to_message: _, ...message }: Message): NonNullable<Message["reply_to_message"]> {
  return message as NonNullable<Message["reply_to_message"]>;
}

/** `getMe` says more about the bot than messages do. */
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

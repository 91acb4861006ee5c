/** What people see in a chat. */
import type { InlineKeyboardButton, Message, MessageEntity, ReactionType, User } from "grammy/types";
import type { ChatAction, ChatState, Draft, StoredMessage } from "../state/chat.ts";
import type { World } from "../state/world.ts";
import { type RichInput, richText } from "../text/rich-message.ts";

export type ShownMessage = {
  id: number;
  from: User | undefined;
  isFromBot: boolean;
  /** The text or caption, or the source of a rich message. Empty if the message has none. */
  text: string;
  entities: MessageEntity[];
  rich: RichInput | undefined;
  keyboard: InlineKeyboardButton[][];
  thread: number | undefined;
  replyTo: number | undefined;
  isEdited: boolean;
  /** Emoji, from the bot and from people. */
  reactions: string[];
  /** A document or photo. */
  file: { name: string; bytes: Buffer } | undefined;
  /** The message in the Bot API's form. */
  message: Message;
};

export type ShownDraft = {
  id: number;
  text: string;
  entities: MessageEntity[];
  rich: RichInput | undefined;
  thread: number | undefined;
  canStop: boolean;
};

export type ShownTopic = { id: number; name: string; closed: boolean };

export type ChatView = {
  /** Oldest first. */
  messages: ShownMessage[];
  /** The draft that changed last. */
  draft: ShownDraft | undefined;
  drafts: ShownDraft[];
  actions: ChatAction[];
  topics: ShownTopic[];
};

export function viewOf(world: World, chat: ChatState): ChatView {
  const drafts = [...chat.drafts.values()].toSorted((a, b) => a.shownAt - b.shownAt).map(showDraft);
  return {
    messages: [...chat.messages.values()].map((stored) => showMessage(world, stored)),
    draft: drafts.at(-1),
    drafts,
    actions: [...chat.actions],
    topics: [...chat.topics.values()].map(({ id, name, closed }) => ({ id, name, closed })),
  };
}

function showMessage(world: World, { message, rich, reactions }: StoredMessage): ShownMessage {
  const fileId = message.document?.file_id ?? message.photo?.at(-1)?.file_id ?? message.voice?.file_id;
  const file = fileId === undefined ? undefined : world.files.find(fileId);
  return {
    id: message.message_id,
    from: message.from,
    isFromBot: message.from?.id === world.bot.id,
    text: rich ? richText(rich) : (message.text ?? message.caption ?? ""),
    entities: message.entities ?? message.caption_entities ?? [],
    rich,
    keyboard: message.reply_markup?.inline_keyboard ?? [],
    thread: message.message_thread_id,
    replyTo: message.reply_to_message?.message_id,
    isEdited: message.edit_date !== undefined,
    reactions: [...reactions.values()].flat().map(reactionText),
    file: file && { name: file.name, bytes: file.bytes },
    message,
  };
}

function showDraft({ id, thread, content, canStop }: Draft): ShownDraft {
  const shared = { id, thread, canStop };
  switch (content.type) {
    case "text":
      return { ...shared, text: content.text, entities: content.entities, rich: undefined };
    case "rich":
      return { ...shared, text: richText(content.rich), entities: [], rich: content.rich };
    default:
      return content satisfies never;
  }
}

function reactionText(reaction: ReactionType): string {
  switch (reaction.type) {
    case "emoji":
      return reaction.emoji;
    case "custom_emoji":
      return reaction.custom_emoji_id;
    case "paid":
      return "paid";
    default:
      return reaction satisfies never;
  }
}

/** The text that a failed wait shows. */
export function printView({ messages, drafts, actions }: ChatView): string {
  const lines = [
    ...messages.map(printMessage),
    ...drafts.map(({ id, text, canStop }) => `draft ${id}${canStop ? " (can stop)" : ""}: ${text}`),
    ...(actions.length > 0 ? [`actions: ${actions.map(({ action }) => action).join(", ")}`] : []),
  ];
  return lines.length > 0 ? lines.join("\n") : "(an empty chat)";
}

function printMessage({
  id,
  from,
  isFromBot,
  thread,
  text,
  keyboard,
  isEdited,
  reactions,
  message,
}: ShownMessage): string {
  const kinds = ["photo", "document", "voice", "forum_topic_created", "sticker", "new_chat_members"].filter(
    (kind) => kind in message,
  );
  const notes = [
    ...(thread === undefined ? [] : [`thread ${thread}`]),
    ...(isEdited ? ["edited"] : []),
    ...kinds,
    ...reactions,
  ];
  const head = `#${id} ${isFromBot ? "bot" : (from?.first_name ?? "?")}${notes.length > 0 ? ` (${notes.join(", ")})` : ""}`;
  const buttons = keyboard.map((row) => `\n    ${row.map((button) => `[${button.text}]`).join(" ")}`).join("");
  return `${head}: ${text}${buttons}`;
}

/** The state of a chat on Telegram's side. */
import type { Chat, Message, ReactionType, User } from "grammy/types";
import type { FormattedText } from "../text/entity.ts";
import type { RichInput } from "../text/rich-message.ts";

export type StoredMessage = {
  message: Message;
  /** The source of a rich message, as the bot sent it. */
  rich?: RichInput;
  reactions: Map<User["id"], ReactionType[]>;
};

export type Topic = { id: number; name: string; closed: boolean; iconColor: number };

export type Draft = {
  id: number;
  thread: number | undefined;
  content: ({ type: "text" } & FormattedText) | { type: "rich"; rich: RichInput };
  canStop: boolean;
  keepOnStop: boolean;
  shownAt: number;
  cancelFading: () => void;
};

export type ChatAction = { action: string; thread: number | undefined; at: number };

export type BotAccess =
  | { type: "member"; isAdministrator: boolean }
  | { type: "blocked" }
  | { type: "kicked" }
  | { type: "migrated"; to: number };

export type ChatState = {
  info: Chat.PrivateChat | Chat.GroupChat | Chat.SupergroupChat;
  access: BotAccess;
  members: Map<User["id"], { user: User; status: "creator" | "administrator" | "member" | "left" | "kicked" }>;
  messages: Map<number, StoredMessage>;
  lastMessageId: number;
  topics: Map<number, Topic>;
  /** One for each thread, 0 for the chat itself. */
  drafts: Map<number, Draft>;
  actions: ChatAction[];
};

export function hasTopics({ info }: ChatState, botHasTopics: boolean): boolean {
  return info.type === "private" ? botHasTopics : info.type === "supergroup" && info.is_forum === true;
}

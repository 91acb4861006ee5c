/** Creates people and chats. */
import type { Chat, User } from "grammy/types";
import type { BotAccess, ChatState } from "../state/chat.ts";
import { isGroup } from "../state/messages.ts";
import type { World } from "../state/world.ts";
import { type ChatHandle, chatHandle } from "./chat-handle.ts";
import { receiveMessage } from "./incoming.ts";

export type GroupOptions = {
  title?: string;
  /** The first is the owner. A new user by default. */
  members?: User[];
  /** By default, only in chats with topics, because the bot creates them. */
  botIsAdministrator?: boolean;
};
export type SupergroupOptions = GroupOptions & { topics?: boolean; username?: string };

export type People = {
  user(details?: Partial<Omit<User, "is_bot">>): User;
  /** The user's chat with the bot, already started. */
  privateChat(user?: User): ChatHandle;
  group(options?: GroupOptions): ChatHandle;
  supergroup(options?: SupergroupOptions): ChatHandle;
  /** Turns a group into a supergroup. The group's id no longer works. */
  migrate(group: ChatHandle): ChatHandle;
};

const firstUserId = 5_000_001;
const firstGroupId = -4_000_001;
const firstSupergroupId = -1_002_000_000_001;

export function createPeople(world: World): People {
  const countOf = (type: Chat["type"]) => [...world.chats.values()].filter(({ info }) => info.type === type).length;

  function user(details: Partial<Omit<User, "is_bot">> = {}): User {
    const number = world.users.size;
    const created: User = { id: firstUserId + number, is_bot: false, first_name: `User ${number + 1}`, ...details };
    world.users.set(created.id, created);
    return created;
  }

  function create(info: ChatState["info"], access: BotAccess, members: User[]): ChatState {
    const chat: ChatState = {
      info,
      access,
      members: new Map(
        members.map((member, index) => [member.id, { user: member, status: index === 0 ? "creator" : "member" }]),
      ),
      messages: new Map(),
      // A supergroup's first message announces its creation. So no topic has id 1, which is the general topic's.
      lastMessageId: info.type === "supergroup" ? 1 : 0,
      topics: new Map(),
      drafts: new Map(),
      actions: [],
    };
    world.chats.set(info.id, chat);
    return chat;
  }

  function createSupergroup(options: SupergroupOptions): ChatState {
    const { title = "Supergroup", topics = false, username, members = [user()], botIsAdministrator = topics } = options;
    const info: Chat.SupergroupChat = {
      id: firstSupergroupId - countOf("supergroup"),
      type: "supergroup",
      title,
      ...(username === undefined ? {} : { username }),
      ...(topics ? { is_forum: true } : {}),
    };
    return create(info, { type: "member", isAdministrator: botIsAdministrator }, members);
  }

  return {
    user,
    privateChat(person = user()) {
      const { id, first_name, last_name, username } = person;
      const info: Chat.PrivateChat = {
        id,
        type: "private",
        first_name,
        ...(last_name === undefined ? {} : { last_name }),
        ...(username === undefined ? {} : { username }),
      };
      const known = world.chats.get(id);
      return chatHandle(world, known ?? create(info, { type: "member", isAdministrator: false }, [person]));
    },
    group({ title = "Group", members = [user()], botIsAdministrator = false } = {}) {
      const info: Chat.GroupChat = { id: firstGroupId - countOf("group"), type: "group", title };
      return chatHandle(world, create(info, { type: "member", isAdministrator: botIsAdministrator }, members));
    },
    supergroup: (options = {}) => chatHandle(world, createSupergroup(options)),
    migrate({ id }) {
      const old = world.chats.get(id);
      if (!old || !isGroup(old) || old.info.type !== "group") throw new Error("Only a group can become a supergroup.");
      const members = [...old.members.values()].map((member) => member.user);
      const [owner = user()] = members;
      const isAdministrator = old.access.type === "member" && old.access.isAdministrator;
      const next = createSupergroup({ title: old.info.title, members, botIsAdministrator: isAdministrator });
      receiveMessage(world, old, { from: owner, content: { migrate_to_chat_id: next.info.id } });
      receiveMessage(world, next, { from: owner, content: { migrate_from_chat_id: id } });
      old.access = { type: "migrated", to: next.info.id };
      return chatHandle(world, next);
    },
  };
}

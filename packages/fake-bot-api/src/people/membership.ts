/** Who is in a chat: the bot is blocked, added or removed, and people join or leave. */
import type { User } from "grammy/types";
import type { ChatState } from "../state/chat.ts";
import { isGroup } from "../state/messages.ts";
import type { World } from "../state/world.ts";
import { notifyMembership, receiveMessage } from "./incoming.ts";

export type Membership = {
  block(): void;
  unblock(): void;
  addBot(options?: { asAdministrator?: boolean }): void;
  removeBot(): void;
  addMember(user: User): void;
  removeMember(user: User): void;
};

export function membershipIn(world: World, chat: ChatState, defaultSender: () => User): Membership {
  const admit = (isAdministrator: boolean) => {
    chat.access = { type: "member", isAdministrator };
    notifyMembership(world, chat, defaultSender(), "left", isAdministrator ? "administrator" : "member");
  };
  return {
    block() {
      if (isGroup(chat)) throw new Error("Only a private chat can be blocked.");
      chat.access = { type: "blocked" };
      notifyMembership(world, chat, defaultSender(), "member", "kicked");
    },
    unblock() {
      chat.access = { type: "member", isAdministrator: false };
      notifyMembership(world, chat, defaultSender(), "kicked", "member");
    },
    addBot({ asAdministrator = false } = {}) {
      admit(asAdministrator);
      receiveMessage(world, chat, { from: defaultSender(), content: { new_chat_members: [world.bot] } });
    },
    removeBot() {
      receiveMessage(world, chat, { from: defaultSender(), content: { left_chat_member: world.bot } });
      chat.access = { type: "kicked" };
      notifyMembership(world, chat, defaultSender(), "member", "kicked");
    },
    addMember(user) {
      chat.members.set(user.id, { user, status: "member" });
      receiveMessage(world, chat, { from: user, content: { new_chat_members: [user] } });
    },
    removeMember(user) {
      chat.members.set(user.id, { user, status: "left" });
      receiveMessage(world, chat, { from: user, content: { left_chat_member: user } });
    },
  };
}

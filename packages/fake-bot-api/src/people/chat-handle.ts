/** A chat from the side of its people: they write, press buttons, read and wait. */
import type { Chat, User } from "grammy/types";
import type { ChatAction, ChatState } from "../state/chat.ts";
import type { World } from "../state/world.ts";
import { type ChatView, printView, type ShownDraft, type ShownMessage, type ShownTopic, viewOf } from "./chat-view.ts";
import { type Interaction, interactionIn } from "./interact.ts";
import { type Membership, membershipIn } from "./membership.ts";
import { type TopicActions, topicActionsIn } from "./topic-actions.ts";
import { type WaitOptions, waitForView } from "./wait-for.ts";
import { type Writing, writingIn } from "./write.ts";

export type ChatHandle = Writing &
  Interaction &
  TopicActions &
  Membership & {
    readonly id: number;
    readonly info: Chat;
    view(): ChatView;
    readonly messages: ShownMessage[];
    readonly draft: ShownDraft | undefined;
    readonly actions: ChatAction[];
    readonly topics: ShownTopic[];
    print(): string;
    /** Resolves with the predicate's first truthy result; on a timeout, fails with a printout of the chat. */
    waitFor<Found>(
      predicate: (view: ChatView) => Found | undefined | null | false | 0 | "",
      options?: WaitOptions,
    ): Promise<Found>;
  };

export function chatHandle(world: World, chat: ChatState): ChatHandle {
  const defaultSender = (): User => {
    const present = [...chat.members.values()].find(({ status }) => status !== "left" && status !== "kicked");
    if (!present) throw new Error("The chat has no members.");
    return present.user;
  };
  const view = () => viewOf(world, chat);
  const writing = writingIn(world, chat, defaultSender);
  return {
    ...writing,
    ...interactionIn(world, chat, defaultSender),
    ...topicActionsIn(world, chat, defaultSender),
    ...membershipIn(world, chat, defaultSender),
    id: chat.info.id,
    info: chat.info,
    view,
    get messages() {
      return view().messages;
    },
    get draft() {
      return view().draft;
    },
    get actions() {
      return view().actions;
    },
    get topics() {
      return view().topics;
    },
    print: () => printView(view()),
    waitFor: (predicate, options) => waitForView(world, chat, predicate, options),
  };
}

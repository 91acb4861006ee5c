/** What people press: buttons, a draft's stop button, reactions. */
import { randomInt } from "node:crypto";
import type { CallbackQuery, ReactionType, Update, User } from "grammy/types";
import type { ChatState } from "../state/chat.ts";
import { removeDraft } from "../state/drafts.ts";
import { type CallbackAnswer, unixTime, type World } from "../state/world.ts";
import { printView, viewOf } from "./chat-view.ts";
import { notifyBot } from "./incoming.ts";
import { findMessage, type MessageRef, messageId } from "./message-ref.ts";

/** A button by its text, or by its data. The data also reaches the bot if the button no longer exists. */
export type ButtonRef = string | { data: string };
export type PressOptions = { from?: User; timeoutMs?: number };

export type Interaction = {
  /** Resolves with the bot's answer. */
  press(message: MessageRef, button: ButtonRef, options?: PressOptions): Promise<CallbackAnswer>;
  /** Presses the stop button of the draft. */
  stopDraft(options?: { thread?: number }): void;
  /** Without an emoji, removes the reaction. */
  react(message: MessageRef, emoji: string | undefined, options?: { from?: User }): void;
};

/** An older query cannot be answered. */
const queryLivesMs = 60_000;
const defaultTimeoutMs = 10_000;

export function interactionIn(world: World, chat: ChatState, defaultSender: () => User): Interaction {
  return {
    press(ref, button, { from = defaultSender(), timeoutMs = defaultTimeoutMs } = {}) {
      const data = typeof button === "string" ? dataOf(world, chat, ref, button) : button.data;
      const id = String(randomInt(1e13, 1e14));
      const message = chat.messages.get(messageId(ref))?.message;
      const query: CallbackQuery = {
        id,
        from,
        // For a deleted message, the bot gets only its chat and id.
        message: message ?? { chat: chat.info, message_id: messageId(ref), date: 0 },
        chat_instance: String(chat.info.id),
        data,
      };
      return new Promise((resolve, reject) => {
        const timer = setTimeout(
          () => reject(new Error(`The bot did not answer the button within ${timeoutMs} ms.`)),
          timeoutMs,
        );
        const answered = (answer: CallbackAnswer) => {
          clearTimeout(timer);
          resolve(answer);
        };
        world.queries.set(id, { query, expiresAt: world.clock.now() + queryLivesMs, answered });
        notifyBot(world, chat, { callback_query: query });
      });
    },

    stopDraft({ thread } = {}) {
      const draft = chat.drafts.get(thread ?? 0);
      if (!draft?.canStop) throw new Error(`There is no draft that can be stopped:\n${printView(viewOf(world, chat))}`);
      if (draft.keepOnStop) draft.canStop = false;
      else removeDraft(world, chat, thread);
      world.events.emit("change");
      if (chat.info.type !== "private") return;
      notifyBot(world, chat, {
        stopped_message_generation: {
          chat: chat.info,
          draft_id: draft.id,
          ...(thread === undefined ? {} : { message_thread_id: thread }),
        },
      });
    },

    react(ref, emoji, { from = defaultSender() } = {}) {
      const { message, reactions } = findMessage(chat, ref);
      const before = reactions.get(from.id) ?? [];
      const after = emoji === undefined ? [] : [{ type: "emoji", emoji } as ReactionType];
      reactions.set(from.id, after);
      world.events.emit("change");
      const place = { chat: chat.info, message_id: message.message_id, user: from, date: unixTime(world) };
      const changed = { ...place, old_reaction: before, new_reaction: after };
      notifyBot(world, chat, { message_reaction: changed as NonNullable<Update["message_reaction"]> });
    },
  };
}

function dataOf(world: World, chat: ChatState, ref: MessageRef, text: string): string {
  const rows = findMessage(chat, ref).message.reply_markup?.inline_keyboard ?? [];
  const button = rows.flat().find((candidate) => candidate.text === text);
  if (button && "callback_data" in button && button.callback_data !== undefined) return button.callback_data;
  throw new Error(`Message ${messageId(ref)} has no button "${text}" to press:\n${printView(viewOf(world, chat))}`);
}

/** The state of Telegram's servers: the bot, people, chats, files, and unconfirmed updates. */
import { EventEmitter } from "node:events";
import type { BotCommand, CallbackQuery, User, UserFromGetMe } from "grammy/types";
import type { Clock } from "../clock.ts";
import type { ChatState } from "./chat.ts";
import { createFileStore, type FileStore } from "./file-store.ts";
import { createFloodLimits, type FloodLimits, noFloodLimits } from "./flood-limits.ts";
import { createLongPoll, type LongPoll } from "./long-poll.ts";
import { createUpdateQueue, type UpdateQueue } from "./update-queue.ts";
import { createWebhook, type Webhook } from "./webhook.ts";

/** "old" is a Bot API server without rich messages and drafts. */
export type BotApiVersion = "current" | "old";

export type CallbackAnswer = { text: string | undefined; showAlert: boolean; url: string | undefined };
export type PendingQuery = {
  query: CallbackQuery;
  expiresAt: number;
  answered: (answer: CallbackAnswer) => void;
};

export type World = {
  clock: Clock;
  version: BotApiVersion;
  bot: UserFromGetMe;
  users: Map<User["id"], User>;
  chats: Map<number, ChatState>;
  files: FileStore;
  queries: Map<string, PendingQuery>;
  /** By scope and language. */
  commands: Map<string, BotCommand[]>;
  updates: UpdateQueue;
  longPoll: LongPoll;
  webhook: Webhook;
  floodLimits: FloodLimits;
  /** "change": what a chat shows has changed. */
  events: EventEmitter<{ change: [] }>;
};

export type WorldOptions = {
  clock: Clock;
  version: BotApiVersion;
  bot: UserFromGetMe;
  floodLimits: boolean;
  webhookRetryMs: number;
};

export function createWorld({ clock, version, bot, floodLimits, webhookRetryMs }: WorldOptions): World {
  const updates = createUpdateQueue(clock, new Set(version === "old" ? ["stopped_message_generation"] : []));
  const events = new EventEmitter<{ change: [] }>();
  // Every pending wait of a test adds a listener.
  events.setMaxListeners(0);
  return {
    clock,
    version,
    bot,
    users: new Map(),
    chats: new Map(),
    files: createFileStore(),
    queries: new Map(),
    commands: new Map(),
    updates,
    longPoll: createLongPoll(clock, updates),
    webhook: createWebhook(clock, updates, webhookRetryMs),
    floodLimits: floodLimits ? createFloodLimits(clock) : noFloodLimits,
    events,
  };
}

export const unixTime = ({ clock }: World) => Math.floor(clock.now() / 1000);

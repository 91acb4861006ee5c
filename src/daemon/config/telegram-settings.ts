/** The settings of the Telegram transport, and what they amount to. */
import { z } from "zod";
import * as types from "../../setting-types.ts";
import type { TelegramSettings } from "../../transports/telegram/settings.ts";

export const telegramSettings = {
  telegramBotToken: types.secretText.optional().meta({
    env: "TELEGRAM_BOT_TOKEN",
    description: "The token of your bot, from @BotFather. Without it there is no Telegram: [telegram.md](telegram.md).",
  }),
  telegramAllowedUsers: types.ids.default([]).meta({
    env: "TELEGRAM_ALLOWED_USERS",
    description: "The numeric ids of the people who may use the bot. Empty: nobody.",
  }),
  telegramAllowedChats: types.ids.default([]).meta({
    description: "The numeric ids of the groups in which they may use it. A private chat needs no entry.",
  }),
  telegramAdmins: types.ids.default([]).meta({
    description: "Which of the allowed people may restart Waybill from a chat. Empty: all of them.",
  }),
  telegramPollIntervalMs: types.milliseconds.default(0).meta({
    env: "TELEGRAM_POLL_INTERVAL_MS",
    description: "The pause between two polls. A poll waits for news by itself, so that 0 costs nothing.",
  }),
  telegramLongPollMs: types.milliseconds.default(50_000).meta({
    description: "How long a poll waits for news. Make it less where a proxy cuts connections that are idle.",
  }),
  telegramCallTimeoutMs: types.someMilliseconds.default(30_000).meta({
    description: "How long a call of the Bot API may take. A poll may take this in addition to its own time.",
  }),
  telegramApiRoot: types.httpUrl.default("https://api.telegram.org").meta({
    env: "TELEGRAM_API_ROOT",
    description: "The Bot API server. Set it to use one that you run yourself.",
  }),
  telegramWebhookUrl: types.httpUrl.optional().meta({
    env: "TELEGRAM_WEBHOOK_URL",
    description:
      "Where Telegram reaches this daemon, ending in `/telegram/webhook`. With it Telegram calls instead of being polled.",
  }),
  telegramWebhookSecret: types.secretText.optional().meta({
    env: "TELEGRAM_WEBHOOK_SECRET",
    description: "What Telegram sends with every call of the webhook. Needed with `telegramWebhookUrl`.",
  }),
  telegramFooter: types.flag.default(false).meta({
    description: "Whether answers in chats end with the time that they took and what their turn cost.",
  }),
  assistantRepoPath: types.path.optional().meta({
    env: "ASSISTANT_REPO_PATH",
    defaultWords: "the directory of the oldest lane, else the first allowed one",
    description: "Where a topic works that has chosen no workspace.",
  }),
  progressFirstMs: types.someMilliseconds.default(10_000).meta({
    env: "PROGRESS_FIRST_MS",
    description: "When a chat is first told what a running turn does.",
  }),
  progressEveryMs: types.someMilliseconds.default(30_000).meta({
    env: "PROGRESS_EVERY_MS",
    description: "How often after that.",
  }),
  progressMaxCount: types.count.default(3).meta({
    env: "PROGRESS_MAX_COUNT",
    description: "How often at most for one message.",
  }),
  maxConcurrentTopics: types.positive.default(3).meta({
    env: "MAX_CONCURRENT_TOPICS",
    description: "How many topics may have a running turn at the same time. Messages to the others wait.",
  }),
} satisfies types.Settings;

const schema = z.object(telegramSettings);
type Values = z.output<typeof schema>;

/** Null without a token. `defaultWorkspace` is for a configuration that names none. */
export function telegramConfig(values: Values, defaultWorkspace: string): TelegramSettings | null {
  const { telegramBotToken: token, telegramWebhookUrl: url, telegramWebhookSecret: secret } = values;
  if (!token) return null;
  return {
    token: token.reveal(),
    apiRoot: values.telegramApiRoot,
    allowedUsers: values.telegramAllowedUsers,
    allowedChats: values.telegramAllowedChats,
    admins: values.telegramAdmins,
    defaultWorkspace: values.assistantRepoPath ?? defaultWorkspace,
    pollIntervalMs: values.telegramPollIntervalMs,
    longPollMs: values.telegramLongPollMs,
    callTimeoutMs: values.telegramCallTimeoutMs,
    webhook: url !== undefined && secret ? { url, secret: secret.reveal() } : null,
    progress: {
      firstMs: values.progressFirstMs,
      everyMs: values.progressEveryMs,
      maxCount: values.progressMaxCount,
    },
    previewEveryMs: 1000,
    footer: values.telegramFooter,
  };
}

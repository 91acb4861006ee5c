/** The settings of the Telegram transport, and how they are resolved. */
import { z } from "zod";
import * as types from "../../platform/setting-types.ts";
import type { TelegramSettings } from "../../transports/telegram/settings.ts";

export const telegramSettings = {
  telegramBotToken: types.secretText.optional().meta({
    env: "TELEGRAM_BOT_TOKEN",
    description: "Your bot's token from @BotFather. Without it, Telegram is off: [telegram.md](telegram.md).",
  }),
  telegramAllowedUsers: types.ids.default([]).meta({
    env: "TELEGRAM_ALLOWED_USERS",
    description: "The numeric ids of the people who may use the bot. Empty: nobody.",
  }),
  telegramAllowedChats: types.ids.default([]).meta({
    description: "The numeric ids of the groups in which they may use it. Private chats need no entry.",
  }),
  telegramAdmins: types.ids.default([]).meta({
    description:
      "Which of the allowed people may restart Waybill, bind a topic, and pause, resume or change a bound lane from a chat. Empty: all of them.",
  }),
  telegramPollIntervalMs: types.milliseconds.default(0).meta({
    env: "TELEGRAM_POLL_INTERVAL_MS",
    description: "The pause between two polls. A poll itself waits for updates, so 0 costs nothing.",
  }),
  telegramLongPollMs: types.milliseconds.default(50_000).meta({
    description: "How long a poll waits for updates. Lower it if a proxy cuts idle connections.",
  }),
  telegramCallTimeoutMs: types.someMilliseconds.default(30_000).meta({
    description: "The timeout for a call to the Bot API. A poll gets this in addition to its own wait.",
  }),
  telegramApiRoot: types.httpUrl.default("https://api.telegram.org").meta({
    env: "TELEGRAM_API_ROOT",
    description: "The Bot API server. Change it to use a server that you run yourself.",
  }),
  telegramWebhookUrl: types.httpUrl.optional().meta({
    env: "TELEGRAM_WEBHOOK_URL",
    description:
      "The public URL of this daemon for Telegram, ending in `/telegram/webhook`. If it is set, Telegram calls the daemon instead of being polled.",
  }),
  telegramWebhookSecret: types.secretText.optional().meta({
    env: "TELEGRAM_WEBHOOK_SECRET",
    description: "The secret that Telegram sends with every webhook call. Required with `telegramWebhookUrl`.",
  }),
  telegramFooter: types.flag.default(false).meta({
    description: "Whether answers in chats end with their duration and the cost of their turn.",
  }),
  assistantRepoPath: types.path.optional().meta({
    env: "ASSISTANT_REPO_PATH",
    defaultWords: "the directory of the oldest lane, else the first allowed one",
    description: "The workspace of topics that have not chosen one.",
  }),
  progressFirstMs: types.someMilliseconds.default(10_000).meta({
    env: "PROGRESS_FIRST_MS",
    description: "When a chat is first told what a running turn is doing.",
  }),
  progressEveryMs: types.someMilliseconds.default(30_000).meta({
    env: "PROGRESS_EVERY_MS",
    description: "How often it is told after that.",
  }),
  progressMaxCount: types.count.default(3).meta({
    env: "PROGRESS_MAX_COUNT",
    description: "The maximum number of such updates for one message.",
  }),
  maxConcurrentTopics: types.positive.default(3).meta({
    env: "MAX_CONCURRENT_TOPICS",
    description: "How many topics may have a running turn at the same time. Messages to the others wait.",
  }),
} satisfies types.Settings;

const schema = z.object(telegramSettings);
type Values = z.output<typeof schema>;

/** Null without a token. `defaultWorkspace` is used if the configuration names none. */
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

/** Rejects a webhook that anybody could call: it needs a secret, made of characters that Telegram accepts. */
import { badSetting } from "./config-error.ts";
import type { DaemonValues, Origins } from "./values.ts";

const howToMake =
  "Generate one with `openssl rand -hex 32`, and set it as telegramWebhookSecret (TELEGRAM_WEBHOOK_SECRET).";

export function refuseOpenWebhook(values: DaemonValues, origins: Origins): void {
  const { telegramWebhookUrl: url, telegramWebhookSecret: secret } = values;
  if (url === undefined) return;
  if (secret === undefined) {
    const origin = origins.telegramWebhookUrl ?? { kind: "environment", variable: "TELEGRAM_WEBHOOK_URL" };
    throw badSetting(origin, "is set, but telegramWebhookSecret is not", howToMake);
  }
  if (/^[\w-]{1,256}$/.test(secret.reveal())) return;
  const origin = origins.telegramWebhookSecret ?? { kind: "environment", variable: "TELEGRAM_WEBHOOK_SECRET" };
  throw badSetting(origin, "must be 1 to 256 characters of A-Z a-z 0-9 _ -, as Telegram requires", howToMake);
}

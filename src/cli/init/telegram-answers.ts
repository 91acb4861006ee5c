/** What `waybill init` learned about a Telegram bot, and the check of its options. */

import { daemonSettings } from "../../daemon/config/settings.ts";
import { AppError } from "../../platform/app-error.ts";
import type { CommandInput } from "../command.ts";
import { usageError } from "../errors.ts";
import { lookUpBot } from "../telegram/look-up-bot.ts";

export type TelegramAnswers = {
  /** Written to the file; null if the daemon finds it in its environment. */
  token: string | null;
  /** Null if Telegram could not be reached. */
  bot: string | null;
  users: readonly number[];
  chats: readonly number[];
};

export function apiRootOf(env: NodeJS.ProcessEnv): string {
  return daemonSettings.telegramApiRoot.parse(env.TELEGRAM_API_ROOT || undefined);
}

/** From options alone. Null if none of them is about a bot. */
export async function telegramOptions(
  input: CommandInput,
  env: NodeJS.ProcessEnv,
  { interrupted, note }: { interrupted: AbortSignal; note: (line: string) => void },
): Promise<TelegramAnswers | null> {
  const variable = input.value("telegram-token-env");
  const users = input.values("telegram-user").map((text) => checkedId(text, "--telegram-user"));
  const chats = input.values("telegram-chat").map((text) => checkedId(text, "--telegram-chat"));
  if (variable === undefined) return users.length + chats.length > 0 ? { token: null, bot: null, users, chats } : null;
  const token = env[variable]?.trim();
  if (!token) throw usageError(`the environment variable ${variable} is not set`, "init");
  const lookup = await lookUpBot({ token, apiRoot: apiRootOf(env) }, interrupted);
  if (lookup.state === "refused") throw tokenRefused();
  if (lookup.state === "unreachable") note("Could not reach Telegram, so the token was not checked.");
  return { token, bot: lookup.state === "found" ? lookup.bot.username : null, users, chats };
}

function checkedId(text: string, option: string): number {
  if (/^-?\d{1,15}$/.test(text)) return Number(text);
  throw usageError(`${option} must be a numeric id, not ${text}`, "init");
}

function tokenRefused(): AppError {
  return new AppError({
    code: "telegram_token_refused",
    message: "Telegram refuses the bot token. Nothing was written.",
    hint: "Copy it from @BotFather, or ask it for a new one (/token).",
  });
}

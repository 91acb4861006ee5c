/** Inspects the Telegram bot of a configuration. Null if there is none. */

import { resolveLaneDirectory } from "../../daemon/config/allowed-directory.ts";
import type { Config } from "../../daemon/config/config.ts";
import { AppError } from "../../platform/app-error.ts";
import type { BotLookup } from "../telegram/look-up-bot.ts";

export type TelegramFacts = {
  lookup: BotLookup;
  apiRoot: string;
  allowedUsers: number;
  allowedChats: number;
  /** The webhook that the daemon sets; null if it polls. */
  webhookUrl: string | null;
  /** What is wrong with the workspace that new topics use. */
  workspace: { path: string; problem: AppError | null } | null;
};

export async function inspectTelegram(
  config: Config,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<TelegramFacts | null> {
  const { telegramBotToken: token, telegramApiRoot: apiRoot } = config;
  if (!token) return null;
  // Most configurations have no bot and need not load the Telegram client.
  const { lookUpBot } = await import("../telegram/look-up-bot.ts");
  return {
    lookup: await lookUpBot({ token: token.reveal(), apiRoot }, signal),
    apiRoot,
    allowedUsers: config.telegramAllowedUsers.length,
    allowedChats: config.telegramAllowedChats.length,
    webhookUrl: config.telegramWebhookUrl ?? null,
    workspace: inspectWorkspace(config, env),
  };
}

/** Null if none is configured: then it is a lane's directory, which is checked with the lane. */
function inspectWorkspace(config: Config, env: NodeJS.ProcessEnv): TelegramFacts["workspace"] {
  const { assistantRepoPath, allowedDirectories: allowed, home } = config;
  if (assistantRepoPath === undefined) return null;
  try {
    return { path: resolveLaneDirectory(assistantRepoPath, { allowed, home }, env), problem: null };
  } catch (error) {
    if (error instanceof AppError) return { path: assistantRepoPath, problem: error };
    throw error;
  }
}

/** Asks Telegram which bot a token belongs to, and whether a webhook is set. Confirms no updates. */
import { GrammyError } from "grammy";
import { abortedAfter } from "../../platform/clock.ts";
import { botApi, grammySignal } from "../../transports/telegram/bot-api.ts";

export type BotAccess = { token: string; apiRoot: string };

export type Bot = { id: number; username: string; readsGroups: boolean };
export type WebhookState = { url: string; waiting: number; lastError: string | null };

export type BotLookup =
  | { state: "found"; bot: Bot; webhook: WebhookState }
  | { state: "refused" }
  | { state: "unreachable" };

const timeoutMs = 10_000;

export async function lookUpBot(access: BotAccess, interrupted: AbortSignal): Promise<BotLookup> {
  const { calls } = botApi(access);
  const signal = grammySignal(abortedAfter(timeoutMs, interrupted));
  try {
    const { id, username, can_read_all_group_messages: readsGroups } = await calls.getMe(signal);
    const {
      url = "",
      pending_update_count: waiting,
      last_error_message: lastError,
    } = await calls.getWebhookInfo(signal);
    return {
      state: "found",
      bot: { id, username, readsGroups },
      webhook: { url, waiting, lastError: lastError ?? null },
    };
  } catch (error) {
    // Error messages may contain the URL, and thus the token.
    const isRefused = error instanceof GrammyError && [401, 404].includes(error.error_code);
    return { state: isRefused ? "refused" : "unreachable" };
  }
}

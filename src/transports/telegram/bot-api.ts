/** The Bot API as this transport calls it: through grammY, with limits of time. The outbox is the only place that retries. */
import { Api } from "grammy";
import type { TelegramSettings } from "./settings.ts";

type GrammySignal = Exclude<Parameters<Api["getMe"]>[0], undefined>;

type ClientSettings = Pick<TelegramSettings, "token" | "apiRoot"> &
  Partial<Pick<TelegramSettings, "longPollMs" | "callTimeoutMs">>;

export function botApi(settings: ClientSettings): { calls: Api; polls: Api } {
  const { token, apiRoot, longPollMs = 50_000, callTimeoutMs = 30_000 } = settings;
  const client = (timeoutMs: number) => new Api(token, { apiRoot, timeoutSeconds: timeoutMs / 1000 });
  return { calls: client(callTimeoutMs), polls: client(longPollMs + callTimeoutMs) };
}

/** grammY names the signal of a library that Node.js has had built in since version 15. They are the same at run time. */
export function grammySignal(signal: AbortSignal): GrammySignal {
  return signal as unknown as GrammySignal;
}

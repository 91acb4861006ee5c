/** Bot API clients with timeouts, made with grammY. They do not retry; the outbox does. */
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

/** grammY's types expect the signal of a polyfill. At run time it is the same as Node.js's own. */
export function grammySignal(signal: AbortSignal): GrammySignal {
  return signal as unknown as GrammySignal;
}

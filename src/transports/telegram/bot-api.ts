/** The Bot API as this transport calls it: through grammY, with limits of time. The outbox is the only place that retries. */
import { Api } from "grammy";
import type { TelegramSettings } from "./settings.ts";

type GrammySignal = Exclude<Parameters<Api["getMe"]>[0], undefined>;

/** Long polls last 50 s. */
const pollTimeoutSeconds = 75;
const callTimeoutSeconds = 30;

export function botApi({ token, apiRoot }: Pick<TelegramSettings, "token" | "apiRoot">): { calls: Api; polls: Api } {
  const client = (timeoutSeconds: number) => new Api(token, { apiRoot, timeoutSeconds });
  return { calls: client(callTimeoutSeconds), polls: client(pollTimeoutSeconds) };
}

/** grammY names the signal of a library that Node.js has had built in since version 15. They are the same at run time. */
export function grammySignal(signal: AbortSignal): GrammySignal {
  return signal as unknown as GrammySignal;
}

/** A fake Bot API for one test, with grammY's client for it. */

import { type FakeBotApi, type FakeBotApiOptions, startFakeBotApi } from "@waybill/fake-bot-api";
import { Api, GrammyError } from "grammy";
import { onTestFinished } from "vitest";

export async function startTelegram(options: FakeBotApiOptions = {}): Promise<{ telegram: FakeBotApi; api: Api }> {
  const telegram = await startFakeBotApi(options);
  onTestFinished(() => telegram.close());
  return { telegram, api: new Api(telegram.token, { apiRoot: telegram.url }) };
}

/** The error that Telegram returns, as `400: Bad Request: …`. */
export async function refusal(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    if (error instanceof GrammyError) return `${error.error_code}: ${error.description}`;
    throw error;
  }
  throw new Error("Telegram refused nothing.");
}

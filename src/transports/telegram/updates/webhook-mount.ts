/**
 * The endpoint that Telegram calls with updates. Instead of a token it requires the secret that Telegram sends with
 * each call, and it accepts the webhook's host name.
 */
import { Hono } from "hono";
import { AppError } from "../../../platform/app-error.ts";
import type { Env } from "../../http/env.ts";
import { answerError } from "../../http/errors.ts";
import { tokenCheck } from "../../http/gates.ts";
import type { Mount } from "../../http/mount.ts";
import type { TelegramSettings } from "../settings.ts";
import { updateId } from "./read-update.ts";

/** The path that Telegram calls. */
const webhookPath = "/telegram/webhook";

/** Resolves when the update is durable; throws if it cannot be stored now. */
type TakeUpdate = (body: unknown) => Promise<void>;

const secretHeader = "x-telegram-bot-api-secret-token";
const maxUpdateBytes = 1024 * 1024;

export function webhookMount({ url, secret }: NonNullable<TelegramSettings["webhook"]>, take: TakeUpdate): Mount {
  const isSecret = tokenCheck(secret);
  return {
    basePath: webhookPath,
    answerError,
    notFoundHint: `Telegram calls POST ${webhookPath}.`,
    basic: null,
    callerOf: null,
    authorize(headers) {
      if (!isSecret(headers.get(secretHeader))) throw secretRefused();
    },
    hosts: [new URL(url).host],
    bodyBytes: maxUpdateBytes,
    crossOrigin: false,
    load: async () => () => webhookApp(take),
  };
}

function webhookApp(take: TakeUpdate): Hono<Env> {
  const app = new Hono<Env>();
  app.post("/", async (c) => {
    const body: unknown = await c.req.json().catch(() => null);
    if (updateId(body) === null) throw noUpdate();
    try {
      await take(body);
    } catch (cause) {
      throw notStored(cause);
    }
    return c.json({}, 200);
  });
  return app;
}

function secretRefused(): AppError {
  return new AppError({
    code: "unauthorized",
    message: "The webhook secret is missing or wrong.",
    hint: "Only Telegram calls this URL; it sends telegramWebhookSecret from the configuration.",
  });
}

function noUpdate(): AppError {
  return new AppError({
    code: "invalid_request",
    message: "The body is not a Bot API update in JSON.",
    hint: "Only Telegram calls this URL.",
  });
}

/** Telegram sends an update again after any response other than 2xx. */
function notStored(cause: unknown): AppError {
  return new AppError({
    code: "telegram_not_ready",
    message: "The update cannot be stored now.",
    hint: "Telegram will send it again.",
    retryable: true,
    cause,
  });
}

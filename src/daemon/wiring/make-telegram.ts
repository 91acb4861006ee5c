/** Creates the Telegram transport if a bot token is configured. It is loaded only then. */

import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import { transportBox } from "../../mail/outbox/transport-box.ts";
import type { Clock } from "../../platform/clock.ts";
import { programPart } from "../../platform/program-part.ts";
import type { Service } from "../../service/service.ts";
import type { Store } from "../../store/store.ts";
import type { Mount } from "../../transports/http/mount.ts";
import type { TelegramSettings } from "../../transports/telegram/settings.ts";
import type { Telegram } from "../../transports/telegram/telegram.ts";
import type { Config } from "../config/config.ts";
import { telegramConfig } from "../config/telegram-settings.ts";
import type { Logger } from "../logging.ts";

export type TelegramParts = {
  config: Config;
  service: Service;
  store: Store;
  clock: Clock;
  log: Logger;
  failPoint: FailPointHook | undefined;
};

/** Start it once the server listens. */
export type TelegramTransport = { telegram: Telegram; mounts: readonly Mount[] };

/** Null without a token. */
export async function makeTelegram(parts: TelegramParts): Promise<TelegramTransport | null> {
  const { config, service, store, clock, log, failPoint } = parts;
  if (!config.telegramBotToken) return null;
  const { directory } = await service.workspace(config.assistantRepoPath);
  const settings = telegramConfig(config, directory);
  if (!settings) return null;
  const { Telegram } = await programPart(() => import("../../transports/telegram/telegram.ts"));
  const telegram = new Telegram({
    ...{ settings, service, clock, failPoint },
    box: transportBox("telegram", store, clock),
    warn: (about, message) => log.warn(about, message),
    onError: ({ error }) => log.error({ err: error }, "Unexpected error in the Telegram transport."),
  });
  return { telegram, mounts: await mountsOf(telegram, settings) };
}

async function mountsOf(telegram: Telegram, { webhook }: TelegramSettings): Promise<readonly Mount[]> {
  if (!webhook) return [];
  const { webhookMount } = await programPart(() => import("../../transports/telegram/updates/webhook-mount.ts"));
  return [webhookMount(webhook, (body) => telegram.take(body))];
}

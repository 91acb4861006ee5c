/**
 * Tells Telegram how updates reach this daemon: by webhook, or by polling, which Telegram refuses while a webhook is
 * set. Pending updates are kept in both cases. Retries until Telegram accepts it.
 */
import type { Api } from "grammy";
import { backoffMs } from "../../../mail/outbox/backoff.ts";
import type { Clock } from "../../../platform/clock.ts";
import { sleep } from "../../../platform/clock.ts";
import { grammySignal } from "../bot-api.ts";
import type { TelegramSettings } from "../settings.ts";
import type { PollerDeps } from "./poller.ts";
import { problemOf, wantedUpdates } from "./poller.ts";

export type ChooseDeps = Pick<PollerDeps, "onState" | "onError"> & {
  api: Api;
  clock: Clock;
  webhook: TelegramSettings["webhook"];
  /** A webhook was set and has been removed, so that polling works. */
  onRemoved: () => void;
};

/** Also resolves when the signal is aborted. */
export async function chooseUpdates(deps: ChooseDeps, signal: AbortSignal): Promise<void> {
  const { clock, webhook, onState, onError } = deps;
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      await (webhook ? setWebhook(webhook, deps, signal) : removeWebhook(deps, signal));
      onState(null);
      return;
    } catch (error) {
      if (signal.aborted) return;
      const { problem, afterMs } = problemOf(error, onError);
      onState(problem);
      await sleep(clock, afterMs ?? backoffMs(tries), signal);
    }
  }
}

async function setWebhook(
  { url, secret }: NonNullable<TelegramSettings["webhook"]>,
  { api }: ChooseDeps,
  signal: AbortSignal,
): Promise<void> {
  const allowed = [...wantedUpdates];
  await api.setWebhook(url, { secret_token: secret, allowed_updates: allowed }, grammySignal(signal));
}

async function removeWebhook({ api, onRemoved }: ChooseDeps, signal: AbortSignal): Promise<void> {
  const { url } = await api.getWebhookInfo(grammySignal(signal));
  if (!url) return;
  await api.deleteWebhook({ drop_pending_updates: false }, grammySignal(signal));
  onRemoved();
}

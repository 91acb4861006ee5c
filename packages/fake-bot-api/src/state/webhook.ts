/** Delivers updates by POST to the bot's URL: in order, one at a time, and repeated until the bot answers with 2xx. */
import type { Update, WebhookInfo } from "grammy/types";
import type { Clock } from "../clock.ts";
import type { UpdateQueue, UpdateType } from "./update-queue.ts";

export type WebhookSettings = { url: string; secretToken?: string | undefined; maxConnections: number };

export type Webhook = {
  isSet(): boolean;
  set(settings: WebhookSettings | undefined): void;
  info(): WebhookInfo;
  /** Nothing is delivered while Telegram is down. */
  pause(): void;
  resume(): void;
};

type Failure = { at: number; message: string };

export function createWebhook(clock: Clock, queue: UpdateQueue, retryAfterMs: number): Webhook {
  let settings: WebhookSettings | undefined;
  let paused = false;
  let lastFailure: Failure | undefined;
  /** Aborted when the settings change, so that nothing more goes to the old URL. */
  let delivery: AbortController | undefined;
  let isDelivering = false;

  async function deliverAll(to: WebhookSettings, signal: AbortSignal): Promise<void> {
    for (let [update] = queue.pending(); update && !signal.aborted; [update] = queue.pending()) {
      const problem = await post(to, update, signal);
      if (signal.aborted) return;
      if (problem === undefined) queue.confirm(update.update_id + 1);
      else {
        lastFailure = { at: clock.now(), message: problem };
        await wait(clock, retryAfterMs, signal);
      }
    }
  }

  function deliver(): void {
    if (!settings || paused || isDelivering) return;
    isDelivering = true;
    const controller = new AbortController();
    delivery = controller;
    void deliverAll(settings, controller.signal).finally(() => {
      isDelivering = false;
      if (queue.pending().length > 0) deliver();
    });
  }

  queue.onAdd(deliver);
  return {
    isSet: () => settings !== undefined,
    set(next) {
      settings = next;
      lastFailure = undefined;
      delivery?.abort();
      deliver();
    },
    info: () => ({
      url: settings?.url ?? "",
      has_custom_certificate: false,
      pending_update_count: queue.pending().length,
      ...(settings ? { max_connections: settings.maxConnections } : {}),
      ...(lastFailure
        ? { last_error_date: Math.floor(lastFailure.at / 1000), last_error_message: lastFailure.message }
        : {}),
      ...(queue.allowed().length > 0 ? { allowed_updates: [...queue.allowed()] as UpdateType[] } : {}),
    }),
    pause() {
      paused = true;
      delivery?.abort();
    },
    resume() {
      paused = false;
      deliver();
    },
  };
}

/** Returns the problem, or `undefined` if there was none. */
async function post(to: WebhookSettings, update: Update, signal: AbortSignal): Promise<string | undefined> {
  try {
    const response = await fetch(to.url, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        ...(to.secretToken ? { "x-telegram-bot-api-secret-token": to.secretToken } : {}),
      },
      body: JSON.stringify(update),
      signal,
    });
    await response.arrayBuffer();
    return response.ok ? undefined : `Wrong response from the webhook: ${response.status} ${response.statusText}`;
  } catch (error) {
    return `Connection failed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function wait(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      cancel();
      signal.removeEventListener("abort", done);
      resolve();
    };
    const cancel = clock.at(clock.now() + ms, done);
    signal.addEventListener("abort", done);
  });
}

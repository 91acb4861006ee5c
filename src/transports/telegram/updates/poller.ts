/**
 * Long polling, and telling Telegram whether to poll or to call the webhook. Each request confirms the updates of the
 * previous one, so it is sent only after those are durable. The first request has no offset: Telegram sends everything
 * it still holds, and known updates are recognised by their ids.
 */
import type { Api } from "grammy";
import type { FailPointHook } from "../../../core/delivery/fail-points.ts";
import { backoffMs } from "../../../mail/outbox/backoff.ts";
import type { Clock } from "../../../platform/clock.ts";
import { sleep } from "../../../platform/clock.ts";
import { classifyError, grammySignal } from "../bot-api.ts";
import type { TelegramSettings } from "../settings.ts";
import { updateId } from "./read-update.ts";

type PollerDeps = {
  api: Api;
  clock: Clock;
  intervalMs: number;
  /** How long a request waits for updates. */
  longPollMs: number;
  /** Resolves when the updates are durable. `cursor` is the offset of the next request. */
  take: (updates: readonly unknown[], cursor: number) => Promise<void>;
  /** Null while polling works. */
  onState: (problem: PollProblem | null) => void;
  onError: (failure: { error: unknown }) => void;
  failPoint?: FailPointHook | undefined;
};

export type PollProblem = { code: "conflict" | "token_refused" | "unreachable" | "store"; message: string };

const conflictMs = 5000;

export const wantedUpdates = [
  "message",
  "edited_message",
  "callback_query",
  "my_chat_member",
  "stopped_message_generation",
] as const;

export async function poll(deps: PollerDeps, signal: AbortSignal): Promise<void> {
  const { clock, intervalMs, onState } = deps;
  let offset: number | null = null;
  let failures = 0;
  while (!signal.aborted) {
    const polled = await pollOnce(deps, offset, signal);
    if (signal.aborted) return;
    if (polled.outcome === "failed") {
      failures += 1;
      onState(polled.problem);
      await sleep(clock, polled.afterMs ?? backoffMs(failures), signal);
      continue;
    }
    failures = 0;
    onState(null);
    // Updates need to be confirmed only once, and ids may restart lower after a quiet week.
    offset = polled.cursor;
    if (intervalMs > 0) await sleep(clock, intervalMs, signal);
  }
}

type Polled =
  | { outcome: "polled"; cursor: number | null }
  | { outcome: "failed"; problem: PollProblem; afterMs: number | null };

async function pollOnce(deps: PollerDeps, offset: number | null, signal: AbortSignal): Promise<Polled> {
  const { api, longPollMs, take, onError, failPoint } = deps;
  let updates: readonly unknown[];
  try {
    const after = offset === null ? {} : { offset };
    const wanted = { timeout: Math.ceil(longPollMs / 1000), allowed_updates: [...wantedUpdates] };
    updates = await api.getUpdates({ ...after, ...wanted }, grammySignal(signal));
  } catch (error) {
    if (signal.aborted) return { outcome: "polled", cursor: null };
    return { outcome: "failed", ...problemOf(error, onError) };
  }
  const ids = Array.isArray(updates) ? updates.flatMap((update) => updateId(update) ?? []) : [];
  if (ids.length === 0) return isNoNews(updates) ? { outcome: "polled", cursor: null } : notUnderstood;
  const cursor = ids.reduce((highest, id) => Math.max(highest, id)) + 1;
  failPoint?.("update.fetched");
  try {
    await take(updates, cursor);
    return { outcome: "polled", cursor };
  } catch (error) {
    onError({ error });
    const message = "Updates could not be stored. Telegram keeps them in the meantime.";
    return { outcome: "failed", problem: { code: "store", message }, afterMs: null };
  }
}

/** Without an id nothing can be confirmed, so Telegram would send the same answer again immediately. */
const notUnderstood: Polled = {
  outcome: "failed",
  problem: { code: "unreachable", message: "Telegram sent an unexpected answer." },
  afterMs: null,
};

function isNoNews(updates: unknown): boolean {
  return Array.isArray(updates) && updates.length === 0;
}

/** The problem behind a failed call, and the pause that the server asked for. */
function problemOf(error: unknown, onError: PollerDeps["onError"]): { problem: PollProblem; afterMs: number | null } {
  if (isConflict(error)) {
    const message = "Another program polls with the same bot token, or a webhook is set.";
    return { problem: { code: "conflict", message }, afterMs: conflictMs };
  }
  try {
    const problem = classifyError(error);
    if (problem.kind === "unauthorized" || problem.kind === "unknown_method") {
      const message = "Telegram refuses the bot token. Ask @BotFather for a new one.";
      return { problem: { code: "token_refused", message }, afterMs: null };
    }
    const afterMs = problem.kind === "later" ? problem.afterMs : null;
    return { problem: { code: "unreachable", message: "Telegram cannot be reached." }, afterMs };
  } catch (unknown) {
    onError({ error: unknown });
    return { problem: { code: "unreachable", message: "Telegram sent an unexpected answer." }, afterMs: null };
  }
}

function isConflict(error: unknown): boolean {
  return typeof error === "object" && error !== null && "error_code" in error && error.error_code === 409;
}

type Troubled = Pick<PollerDeps, "clock" | "onState" | "onError">;

/** Repeats a call until Telegram accepts it. Null if the signal is aborted first. */
export async function untilAccepted<T>(call: () => Promise<T>, deps: Troubled, signal: AbortSignal): Promise<T | null> {
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      return await call();
    } catch (error) {
      if (signal.aborted) return null;
      const { problem, afterMs } = problemOf(error, deps.onError);
      deps.onState(problem);
      await sleep(deps.clock, afterMs ?? backoffMs(tries), signal);
    }
  }
  return null;
}

/** Tells Telegram to call the webhook, or, without one, to hold updates until they are polled. Pending ones are kept. */
export async function chooseUpdates(
  webhook: TelegramSettings["webhook"],
  onRemoved: () => void,
  api: Api,
  signal: AbortSignal,
): Promise<void> {
  if (webhook) {
    const { url, secret } = webhook;
    await api.setWebhook(url, { secret_token: secret, allowed_updates: [...wantedUpdates] }, grammySignal(signal));
  } else if ((await api.getWebhookInfo(grammySignal(signal))).url) {
    await api.deleteWebhook({ drop_pending_updates: false }, grammySignal(signal));
    onRemoved();
  }
}

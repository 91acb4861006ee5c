/**
 * Waits for the first message to a bot. It sends no offset, so that no update is confirmed and the daemon gets them all
 * later.
 */
import { GrammyError } from "grammy";
import { sleep, systemClock } from "../../platform/clock.ts";
import { botApi, grammySignal } from "../../transports/telegram/bot-api.ts";
import { wantedUpdates } from "../../transports/telegram/updates/poller.ts";
import type { IncomingMessage } from "../../transports/telegram/updates/read-update.ts";
import { readUpdate } from "../../transports/telegram/updates/read-update.ts";
import type { BotAccess } from "../telegram/look-up-bot.ts";

export type FirstMessage =
  | { state: "found"; message: IncomingMessage }
  /** Another program is polling, or a webhook is set. */
  | { state: "conflict" }
  | { state: "aborted" };

const pollSeconds = 20;
/** Updates that were seen come again immediately, since they are not confirmed. */
const pauseMs = 1000;

/** The first message from a person who is not in `refused`. */
export async function firstMessage(
  access: BotAccess,
  refused: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<FirstMessage> {
  const { polls } = botApi(access);
  while (!signal.aborted) {
    try {
      const wanted = { timeout: pollSeconds, allowed_updates: [...wantedUpdates] };
      const updates = await polls.getUpdates(wanted, grammySignal(signal));
      const message = updates
        .map(readUpdate)
        .find(
          (incoming): incoming is IncomingMessage =>
            incoming.kind === "message" && !incoming.from.isBot && !refused.has(incoming.from.id),
        );
      if (message) return { state: "found", message };
      if (updates.length > 0) await sleep(systemClock, pauseMs, signal);
    } catch (error) {
      if (error instanceof GrammyError && error.error_code === 409) return { state: "conflict" };
      await sleep(systemClock, pauseMs, signal);
    }
  }
  return { state: "aborted" };
}

/** Handles Telegram's own stop button on a draft: it cancels the delivery whose answer streams there. */

import { openStatuses } from "../../../core/delivery/record.ts";
import { AppError } from "../../../platform/app-error.ts";
import { draftIdOf } from "../live/draft-id.ts";
import type { Handled, TelegramContext } from "../telegram-context.ts";

const maxOpen = 500;

/** The chat is notified as for any other stop. */
export async function stopDraft(draft: number, { service }: Pick<TelegramContext, "service">): Promise<Handled> {
  const { items } = await service.deliveries({ statuses: openStatuses, limit: maxOpen });
  const stopped = items.find(({ record }) => record.source === "telegram" && draftIdOf(record.id) === draft);
  try {
    if (stopped) await service.cancel(stopped.record.id);
  } catch (error) {
    // It has already ended.
    if (!(error instanceof AppError) || error.code !== "not_possible") throw error;
  }
  return {};
}

/**
 * Follows the log and writes what the chats must show into the outbox. The cursor is committed with the rows, so that a
 * restart neither repeats nor misses anything. A temporary failure of the store is retried.
 */
import type { FailPointHook } from "../../core/delivery/fail-points.ts";
import type { LogItem, LogType } from "../../core/log/log-item.ts";
import { backoffMs } from "../../mail/outbox/backoff.ts";
import { AppError } from "../../platform/app-error.ts";
import { sleep } from "../../platform/clock.ts";
import { askEventTypes, askWrites } from "./asks/ask-rows.ts";
import { alertRows } from "./outgoing/alert-rows.ts";
import { deliveryRows } from "./outgoing/delivery-rows.ts";
import { mailRows } from "./outgoing/mail-rows.ts";
import type { Handled, TelegramContext } from "./telegram-context.ts";

export const logCursorKey = "log";

const types: readonly LogType[] = ["message", "delivery", "alert", ...askEventTypes];

/** Items without rows advance the cursor only this often, which saves writes. A restart reads the rest again. */
const itemsBetweenCursors = 200;

type NoticesDeps = {
  context: TelegramContext;
  after: string;
  wake: (channel: string) => void;
  /** Part of the log is no longer kept. */
  onGap: () => void;
  onError: (failure: { error: unknown }) => void;
  failPoint?: FailPointHook | undefined;
};

async function followNotices(deps: NoticesDeps, signal: AbortSignal): Promise<void> {
  const { context, after, wake, onGap, failPoint } = deps;
  const { service, box } = context;
  let unwritten = 0;
  for await (const item of service.follow({ after, types, signal })) {
    if (item.type === "reset") {
      onGap();
      continue;
    }
    const { outbox = [], state = [] } = await writesOf(item, deps);
    unwritten += 1;
    if (outbox.length === 0 && state.length === 0 && unwritten < itemsBetweenCursors) continue;
    const cursor = item.cursor === null ? [] : [{ key: logCursorKey, value: item.cursor }];
    await box.write({ outbox, state: [...state, ...cursor] });
    if (outbox.length > 0) failPoint?.("outbox.written");
    unwritten = 0;
    for (const channel of new Set(outbox.map((row) => row.channel))) wake(channel);
  }
}

/** An item that fails must not block later ones. */
async function writesOf(item: LogItem, { context, onError }: NoticesDeps): Promise<Pick<Handled, "outbox" | "state">> {
  try {
    switch (item.type) {
      case "message":
        return { outbox: await mailRows(item.message, context) };
      case "delivery":
        return { outbox: await deliveryRows(item, context) };
      case "alert":
        return { outbox: await alertRows(item.alert, context) };
      case "event":
        return await askWrites(item.event, context);
      default:
        return {};
    }
  } catch (error) {
    // The item will be read again.
    if (error instanceof AppError && error.retryable) throw error;
    onError({ error });
    return {};
  }
}

/** Until the signal is aborted. */
export async function tellNotices(deps: NoticesDeps, signal: AbortSignal): Promise<void> {
  const { context, onError } = deps;
  let { after } = deps;
  for (let tries = 1; !signal.aborted; tries++) {
    try {
      // From the last stored cursor. Rows written since then are recognised by their keys.
      const known = tries === 1 ? after : (await context.box.state()).get(logCursorKey);
      if (typeof known === "string") after = known;
      return await followNotices({ ...deps, after }, signal);
    } catch (error) {
      if (signal.aborted) return;
      onError({ error });
      await sleep(context.clock, backoffMs(tries), signal);
    }
  }
}

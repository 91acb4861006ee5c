/**
 * Follows the log and writes what the chats are to be told into the outbox. How far it has read is committed with the rows, so
 * that a restart repeats nothing and misses nothing.
 */
import type { FailPointHook } from "../../../core/delivery/fail-points.ts";
import type { LogItem, LogType } from "../../../core/log/log-item.ts";
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { TelegramContext } from "../telegram-context.ts";
import { alertRows } from "./alert-rows.ts";
import { deliveryRows } from "./delivery-rows.ts";
import { mailRows } from "./mail-rows.ts";
import { namedFileRows } from "./named-file-rows.ts";

export const logCursorKey = "log";

const types: readonly LogType[] = ["message", "delivery", "alert"];

/** A restart reads again what came after the last written cursor, so that not every item costs a write. */
const itemsBetweenCursors = 200;

export type NoticesDeps = {
  context: TelegramContext;
  after: string;
  wake: (channel: string) => void;
  /** Something between is not kept any more. */
  onGap: () => void;
  onError: (failure: { error: unknown }) => void;
  failPoint?: FailPointHook | undefined;
};

export async function followNotices(deps: NoticesDeps, signal: AbortSignal): Promise<void> {
  const { context, after, wake, onGap, failPoint } = deps;
  const { service, box } = context;
  let unwritten = 0;
  for await (const item of service.follow({ after, types, signal })) {
    if (item.type === "reset") {
      onGap();
      continue;
    }
    const outbox = await rowsOf(item, deps);
    unwritten += 1;
    if (outbox.length === 0 && unwritten < itemsBetweenCursors) continue;
    const state = item.cursor === null ? [] : [{ key: logCursorKey, value: item.cursor }];
    await box.write({ outbox, state });
    if (outbox.length > 0) failPoint?.("outbox.written");
    unwritten = 0;
    for (const channel of new Set(outbox.map((row) => row.channel))) wake(channel);
  }
}

/** What one item cannot be told for must not keep the others back. */
async function rowsOf(item: LogItem, { context, onError }: NoticesDeps): Promise<readonly NewOutboxRow[]> {
  try {
    switch (item.type) {
      case "message":
        return await mailRows(item.message, context);
      case "delivery":
        return [...(await deliveryRows(item, context)), ...(await namedFileRows(item, context))];
      case "alert":
        return await alertRows(item.alert, context);
      default:
        return [];
    }
  } catch (error) {
    onError({ error });
    return [];
  }
}

/** When to report that a turn is still running. Counted from the first send, so restarts do not reset it. Pure. */
import type { NewOutboxRow } from "../../../mail/outbox/transport-box.ts";
import type { Origin } from "../outgoing/origin.ts";
import { say } from "../outgoing/say.ts";
import { progressKey, startedKey, stopButtons } from "../outgoing/signs.ts";
import type { TelegramSettings } from "../settings.ts";
import type { TurnView } from "./turn-view.ts";
import { progressBelowText, progressWords } from "./turn-words.ts";

type Times = TelegramSettings["progress"];

/** How many reports are due by now. */
export function progressDue(since: number, now: number, { firstMs, everyMs, maxCount }: Times): number {
  const late = now - since - firstMs;
  return late < 0 ? 0 : Math.min(maxCount, 1 + Math.floor(late / everyMs));
}

/** When the report after number `count` is due; null after the last. */
export function nextProgressAt(since: number, count: number, { firstMs, everyMs, maxCount }: Times): number | null {
  return count >= maxCount ? null : since + firstMs + count * everyMs;
}

export type ProgressOf = { delivery: string; origin: Origin; view: TurnView; ms: number };

/** All reports of a turn share one message: the "Working…" message, if there is one. */
export function progressRow({ delivery, origin, view, ms }: ProgressOf, count: number): NewOutboxRow {
  const { topic, message, messageId } = origin;
  const words = topic.isPrivate ? progressWords(view, ms) : progressBelowText(view, ms);
  const earlier = Array.from({ length: count - 1 }, (_, index) => progressKey(delivery, index + 1));
  return say(topic, progressKey(delivery, count), words, {
    replyTo: message,
    buttons: stopButtons(messageId),
    replaces: [startedKey(delivery), ...earlier],
    onlyWhile: { delivery, phase: "running" },
  });
}

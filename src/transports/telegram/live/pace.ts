/** When a preview is shown next, and when to report that a turn is still running. Pure. */
import type { TelegramSettings } from "../settings.ts";

type Pace = {
  /** Whether something has changed since the last preview. */
  isChanged: boolean;
  lastShownAt: number | null;
  /** The server asked for a pause until then. */
  pausedUntil: number;
};

/** `refreshMs`: when to repeat an unchanged preview, or null if it does not fade. Returns null if nothing is due. */
export function nextPreviewAt(pace: Pace, everyMs: number, refreshMs: number | null): number | null {
  const { isChanged, lastShownAt, pausedUntil } = pace;
  if (lastShownAt === null) return isChanged ? pausedUntil : null;
  if (isChanged) return Math.max(lastShownAt + everyMs, pausedUntil);
  return refreshMs === null ? null : Math.max(lastShownAt + refreshMs, pausedUntil);
}

type Times = TelegramSettings["progress"];

/** How many reports are due by now. Counted from the first send, so restarts do not reset it. */
export function progressDue(since: number, now: number, { firstMs, everyMs, maxCount }: Times): number {
  const late = now - since - firstMs;
  return late < 0 ? 0 : Math.min(maxCount, 1 + Math.floor(late / everyMs));
}

/** When the report after number `count` is due; null after the last. */
export function nextProgressAt(since: number, count: number, { firstMs, everyMs, maxCount }: Times): number | null {
  return count >= maxCount ? null : since + firstMs + count * everyMs;
}

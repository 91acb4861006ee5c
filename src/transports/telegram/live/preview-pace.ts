/** When a preview is shown next. Pure. */

export type Pace = {
  /** Whether there is something that is not shown yet. */
  isChanged: boolean;
  lastShownAt: number | null;
  /** The server wants silence until then. */
  pausedUntil: number;
};

/** `refreshMs`: after how long it has to be shown again unchanged; null where it stays. Null when nothing is to be shown. */
export function nextPreviewAt(pace: Pace, everyMs: number, refreshMs: number | null): number | null {
  const { isChanged, lastShownAt, pausedUntil } = pace;
  if (lastShownAt === null) return isChanged ? pausedUntil : null;
  if (isChanged) return Math.max(lastShownAt + everyMs, pausedUntil);
  return refreshMs === null ? null : Math.max(lastShownAt + refreshMs, pausedUntil);
}

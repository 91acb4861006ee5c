/** When a preview is shown next. Pure. */

export type Pace = {
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

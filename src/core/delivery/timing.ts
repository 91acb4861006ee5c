/**
 * When what happened to an attempt, by the agent program's own times where it tells them. Pure.
 *
 * A look may come late, and another may know better: what begins is told by its earliest sign, what goes on or ends by
 * its latest.
 */

export type Timing = {
  /** The agent program has the prompt. */
  storedAt: number | null;
  /** The first word, thought or tool call for it. */
  firstTokenAt: number | null;
  lastActivityAt: number | null;
  /** The end of its turn. */
  finishedAt: number | null;
};

export type AttemptTiming = Timing & { number: number };

export const untimed: Timing & { provenAt: number | null } = {
  storedAt: null,
  firstTokenAt: null,
  lastActivityAt: null,
  finishedAt: null,
  provenAt: null,
};

export function mergeTiming(known: Timing, seen: Timing): Timing {
  return {
    storedAt: earliest([known.storedAt, seen.storedAt]),
    firstTokenAt: earliest([known.firstTokenAt, seen.firstTokenAt]),
    lastActivityAt: latest([known.lastActivityAt, seen.lastActivityAt]),
    finishedAt: latest([known.finishedAt, seen.finishedAt]),
  };
}

/** The attempt that a proof is credited to: the newest one that brought anything. */
export function provenAttempt(timings: readonly AttemptTiming[]): number | null {
  return timings.findLast((timing) => timing.firstTokenAt !== null || timing.finishedAt !== null)?.number ?? null;
}

export function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

export function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

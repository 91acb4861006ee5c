/**
 * When what happened to an attempt, by the agent program's own times where it tells them. Pure.
 *
 * A look may come late, and another may know better: what begins is told by its earliest sign, what goes on or ends by
 * its latest.
 */
import type { TranscriptRow } from "../runtimes/port.ts";
import type { Anchored } from "./anchors.ts";

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

/** What a transcript tells about one attempt; `isNewest` when nothing was prompted after it in its session. */
export function timingOf({ attempt, slice, row, children }: Anchored, isNewest: boolean): AttemptTiming {
  const newest = children.at(-1);
  const busy = slice.status === "busy" || slice.status === "retry";
  const ended = newest !== undefined && !isOpen(newest) && (newest.finish !== "tool-calls" || !busy || !isNewest);
  const signs = children.flatMap((child) => [child.createdAt, child.firstActivityAt, child.completedAt]);
  return {
    number: attempt.number,
    storedAt: row?.createdAt ?? null,
    firstTokenAt: earliest(children.map((child) => child.firstActivityAt)),
    lastActivityAt: row === null ? null : latest([...signs, isNewest ? slice.lastActivityAt : row.createdAt]),
    finishedAt: ended ? newest.completedAt : null,
  };
}

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

/** Left open. While the session is busy that is work; in a session at rest the turn broke off. */
export function isOpen(row: TranscriptRow): boolean {
  return row.completedAt === null || row.tools.some((tool) => tool.status === "pending" || tool.status === "running");
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.min(...known);
}

function latest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length === 0 ? null : Math.max(...known);
}

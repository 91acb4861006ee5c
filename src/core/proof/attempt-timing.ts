/** What a transcript tells about the times of an attempt. */
import type { AttemptTiming } from "../delivery/timing.ts";
import { earliest, latest } from "../delivery/timing.ts";
import type { TranscriptRow } from "../transcript/transcript.ts";
import type { Anchored } from "./anchors.ts";

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

/** Left open. While the session is busy that is work; in a session at rest the turn broke off. */
export function isOpen(row: TranscriptRow): boolean {
  return row.completedAt === null || row.tools.some((tool) => tool.status === "pending" || tool.status === "running");
}

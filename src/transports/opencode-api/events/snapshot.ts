/**
 * The current state for a client that missed earlier events: OpenCode's terminal reconnects without a cursor, and
 * reloads nothing. Every event replaces what a client has, so repeating known state does no harm. Pure.
 */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { NativeEvent } from "../projection/native-event.ts";
import { messageUpdated, partUpdated } from "../projection/native-event.ts";
import type { SessionSnapshot } from "../projection/session-projection.ts";
import { statusEvent } from "../projection/session-status.ts";

export type LaneActivity = { lane: string; isAtWork: boolean; changedAt: number };

const recentMs = 10 * 60_000;
export const maxSnapshotLanes = 50;
/** The limit for one session; a turn seldom has more. */
const maxMessages = 100;

/** The lanes that are busy or changed recently; if there are too many, busy lanes first, then the newest. */
export function selectLanes(activities: readonly LaneActivity[], now: number, max = maxSnapshotLanes): string[] {
  return activities
    .filter(({ isAtWork, changedAt }) => isAtWork || now - changedAt <= recentMs)
    .toSorted((one, other) => Number(other.isAtWork) - Number(one.isAtWork) || other.changedAt - one.changedAt)
    .slice(0, max)
    .map(({ lane }) => lane);
}

/** Calls come before their asks: clients show an ask with its call. */
export function snapshotEvents(snapshot: SessionSnapshot, info: Session, at: number): NativeEvent[] {
  const { sessionID, status, diff, todos, asks } = snapshot;
  const messages = snapshot.messages
    .slice(-maxMessages)
    .flatMap(({ info, parts }) => [messageUpdated(info), ...parts.map((part) => partUpdated(part, at))]);
  return [
    { type: "session.updated", properties: { sessionID, info } },
    ...messages,
    ...(diff.length === 0 ? [] : [{ type: "session.diff", properties: { sessionID, diff } }]),
    ...(todos.length === 0 ? [] : [{ type: "todo.updated", properties: { sessionID, todos } }]),
    ...asks,
    statusEvent(sessionID, status),
  ];
}

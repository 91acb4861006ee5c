/**
 * How things stand, for a client that heard nothing of how they came about: OpenCode's terminal comes back without
 * saying where it was, and reads nothing again. Everything is said whole, in events that replace what a client has, so
 * it does no harm to one that knew it. Pure.
 */
import type { Session } from "@opencode-ai/sdk/v2/types";
import type { Emitted, SessionState } from "../projection/session-projection.ts";
import { statusEvent } from "../projection/session-status.ts";

/** What decides whether a lane is told of. */
export type Bearing = { lane: string; isAtWork: boolean; changedAt: number };

const latelyMs = 10 * 60_000;
/** Lanes that a client is told of when it comes. */
export const maxToTell = 50;
/** Of one session; a turn seldom has more. */
const maxRows = 100;

/** Those that are at work, or in which something happened lately; of too many, the busy and the newest. */
export function lanesToTell(bearings: readonly Bearing[], now: number, most = maxToTell): string[] {
  return bearings
    .filter(({ isAtWork, changedAt }) => isAtWork || now - changedAt <= latelyMs)
    .toSorted((one, other) => Number(other.isAtWork) - Number(one.isAtWork) || other.changedAt - one.changedAt)
    .slice(0, most)
    .map(({ lane }) => lane);
}

/** The calls stand before what they ask: clients show an ask with its call. */
export function presentState(state: SessionState, info: Session, at: number): Emitted[] {
  const { sessionID, status, diff, todos, asks } = state;
  const rows = state.rows
    .slice(-maxRows)
    .flatMap(({ info, parts }): Emitted[] => [
      { type: "message.updated", properties: { sessionID, info } },
      ...parts.map((part) => ({ type: "message.part.updated", properties: { sessionID, part, time: at } })),
    ]);
  return [
    { type: "session.updated", properties: { sessionID, info } },
    ...rows,
    ...(diff.length === 0 ? [] : [{ type: "session.diff", properties: { sessionID, diff } }]),
    ...(todos.length === 0 ? [] : [{ type: "todo.updated", properties: { sessionID, todos } }]),
    ...asks,
    statusEvent(sessionID, status),
  ];
}

/** What making, changing, pausing and removing a lane writes, and a new session of it. */
import type { Lane, LaneChange, NewLane } from "../lane/lane.ts";
import type { Writes } from "./writes.ts";

/** A lane that is made again goes on with its session and its generations. */
export function planLane(existing: Lane | null, { createdAt, ...settings }: NewLane): Lane {
  if (existing) return changedLane(existing, settings);
  return { ...settings, createdAt, pausedReason: null, sessionId: null, generation: 0, version: 1 };
}

/** The same object when nothing changes. */
export function changedLane(lane: Lane, change: LaneChange | Partial<Lane>): Lane {
  const changed: Lane = { ...lane, ...change };
  const isSame = (Object.keys(change) as (keyof Lane)[]).every((key) => changed[key] === lane[key]);
  return isSame ? lane : { ...changed, version: lane.version + 1 };
}

export type SessionFacts = {
  lane: Lane;
  /** Another lane whose session it is. */
  owner: string | null;
  /** A restore forgets sessions that were opened after the backup; generations go on above this. */
  generationFloor: number;
};

export type SessionPlan = { writes: Writes & { lane: Lane } } | { refused: "session_in_use"; owner: string };

/** The session becomes the lane's own, as a new generation. */
export function planSession(facts: SessionFacts, sessionId: string, openedAt: number): SessionPlan {
  const { lane, owner, generationFloor } = facts;
  if (owner !== null) return { refused: "session_in_use", owner };
  const generation = 1 + Math.max(lane.generation, generationFloor);
  return {
    writes: {
      lane: changedLane(lane, { sessionId, generation }),
      session: { generation, sessionId, openedAt },
    },
  };
}

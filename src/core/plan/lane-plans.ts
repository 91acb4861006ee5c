/**
 * Plans for lanes: their settings, sessions, removal and forks, and what their agents did and used. A refusal writes
 * nothing.
 */
import type { Lane, LaneChange, NewLane, UsageEntry } from "../lane/lane.ts";
import type { NewEvent } from "../log/log-item.ts";
import { usageIncrease } from "../stats/day-stats.ts";
import type { DayAmount, LogWrite, Plan, Refusal, Writes } from "./writes.ts";

/**
 * An existing lane stays with its member unless it is given another. A removed lane (`before`) that is created again
 * keeps its session and its generations, but old tokens for it are no longer valid.
 */
export function planLane(existing: Lane | null, made: NewLane, before: Lane | null = null): Lane {
  const { createdAt, team, member, ...settings } = made;
  const membership = team !== null && member !== null ? { team, member } : {};
  if (existing) return changedLane(existing, { ...settings, ...membership });
  if (before) return changedLane(before, made);
  return {
    ...settings,
    team,
    member,
    createdAt,
    pausedReason: null,
    teamHold: null,
    sessionId: null,
    generation: 0,
    version: 1,
  };
}

/** Returns the same object if nothing changes. */
export function changedLane(lane: Lane, change: LaneChange | Partial<Lane>): Lane {
  const changed: Lane = { ...lane, ...change };
  const isSame = (Object.keys(change) as (keyof Lane)[]).every((key) => changed[key] === lane[key]);
  return isSame ? lane : { ...changed, version: lane.version + 1 };
}

export function laneEntry(lane: Lane, now: number): LogWrite {
  return { type: "lane", laneId: lane.id, lane, at: lane.version === 1 ? lane.createdAt : now };
}

export type LaneFacts = { id: string; lane: Lane | null };

export function planLaneChange(
  { id, lane }: LaneFacts,
  change: LaneChange | Pick<Lane, "pausedReason">,
  now: number,
): Plan<Lane> | Refusal {
  if (!lane) return { refused: "lane_unknown", lane: id };
  const changed = changedLane(lane, change);
  if (changed === lane) return { result: lane };
  return { result: changed, writes: { lanes: [changed], log: [laneEntry(changed, now)] } };
}

export type SessionFacts = LaneFacts & {
  /** Another lane that owns the session. */
  owner: string | null;
  /** A restore loses sessions that were opened after the backup; generations continue above this. */
  generationFloor: number;
};

type SessionWrites = Writes & { lanes: readonly [Lane]; log: readonly LogWrite[] };

/** Gives the session to the lane, as a new generation. */
export function planSession(
  facts: SessionFacts,
  { sessionId, at: openedAt }: { sessionId: string; at: number },
  now: number,
): { result: Lane; writes: SessionWrites } | Refusal {
  const { id: laneId, lane, owner, generationFloor } = facts;
  if (!lane) return { refused: "lane_unknown", lane: laneId };
  if (owner !== null) return { refused: "session_in_use", sessionId, owner };
  const generation = 1 + Math.max(lane.generation, generationFloor);
  const changed = changedLane(lane, { sessionId, generation });
  const session = { laneId, generation, sessionId, openedAt };
  return { result: changed, writes: { lanes: [changed], session, log: [laneEntry(changed, now)] } };
}

/** A lane that starts with the history of another one. */
export type LaneFork = {
  lane: NewLane;
  sessionId: string | null;
  at: number;
  /** Usage by the messages of its session, so that they do not count as used in this lane. */
  usage: readonly UsageEntry[];
  events: readonly NewEvent[];
};

/** `isTaken`: a lane with that id exists or once existed. */
export type ForkFacts = Omit<SessionFacts, keyof LaneFacts> & { isTaken: boolean; lastEvents: LastEvents };

export function planFork(facts: ForkFacts, fork: LaneFork, keep: number, now: number): Plan<Lane> | Refusal {
  const { sessionId, at, usage, events } = fork;
  const { id } = fork.lane;
  if (facts.isTaken) return { refused: "lane_exists", lane: id };
  const lane = planLane(null, fork.lane);
  const begun =
    sessionId === null
      ? { result: lane, writes: { lanes: [lane], log: [laneEntry(lane, now)] } }
      : planSession({ ...facts, id, lane }, { sessionId, at }, now);
  if ("refused" in begun) return begun;
  const appended = planAppend(facts.lastEvents, events, keep);
  if ("refused" in appended) return appended;
  const { log = [], ...trims } = appended.writes;
  return {
    result: begun.result,
    writes: {
      ...begun.writes,
      usage: { laneId: id, entries: usage, increases: [] },
      ...trims,
      log: [...begun.writes.log, ...log],
    },
  };
}

/** The number of the newest event of each lane; 0 for a lane that never had one. */
export type LastEvents = ReadonlyMap<string, number>;

/** Every kept event must follow the last one of its lane without a gap. */
export function planAppend(
  lastEvents: LastEvents,
  events: readonly NewEvent[],
  keep: number,
): { result: undefined; writes: Writes } | Refusal {
  const lanes = new Map<string, number>();
  for (const { event, kept } of events) {
    if (!kept) continue;
    const { lane, seq } = event;
    const last = lanes.get(lane) ?? lastEvents.get(lane) ?? 0;
    if (seq !== last + 1) return { refused: "events_out_of_order", lane, seq, last };
    lanes.set(lane, seq);
  }
  // Lets a tenth more accumulate, so that not every event removes one.
  const allowed = keep + Math.floor(keep / 10);
  const trims = [...lanes].flatMap(([lane, last]) => (last > allowed ? [{ lane, last, allowed, keep }] : []));
  const log = events.map((event) => ({ type: "event", event }) as const);
  return { result: undefined, writes: { ...(trims.length > 0 ? { trims } : {}), log } };
}

export type UsageFacts = {
  /** What is known of the messages, by id. */
  known: ReadonlyMap<string, DayAmount>;
  /** Messages of earlier days have been forgotten. */
  countedFrom: string;
};

/** Whether the entry would change something. */
export function isFreshUsage({ known }: Pick<UsageFacts, "known">, { messageId, tokens, cost }: UsageEntry): boolean {
  const before = known.get(messageId);
  return before === undefined || tokens > before.tokens || cost > before.cost;
}

export function planUsage(facts: UsageFacts, laneId: string, entries: readonly UsageEntry[]): Plan<undefined> {
  const known = new Map(facts.known);
  const fresh: UsageEntry[] = [];
  const increases: DayAmount[] = [];
  for (const entry of entries) {
    if (!isFreshUsage({ known }, entry)) continue;
    const before = known.get(entry.messageId) ?? null;
    const increase = usageIncrease(before, entry, facts.countedFrom);
    const { day, tokens, cost } = entry;
    known.set(entry.messageId, before ? { ...before, tokens, cost } : { day, tokens, cost });
    fresh.push(entry);
    if (increase) increases.push(increase);
  }
  return {
    result: undefined,
    ...(fresh.length > 0 ? { writes: { usage: { laneId, entries: fresh, increases } } } : {}),
  };
}

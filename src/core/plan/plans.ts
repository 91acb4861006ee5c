/**
 * Plans what a change writes to the store, from facts that an adapter has loaded: an admission, the events of a
 * delivery, a lost record, and the changes, the removal and the fork of a lane. A refusal writes nothing.
 */

import type { DeliveryEvent, OutgoingMail } from "../delivery/delivery-event.ts";
import type { Alert, DeliveryRecord } from "../delivery/record.ts";
import { isOutstanding } from "../delivery/record.ts";
import { applyEvents } from "../delivery/transition.ts";
import type { UsageEntry } from "../lane/daily-limit.ts";
import type { Lane, LaneChange, NewLane } from "../lane/lane.ts";
import type { NewEvent } from "../log/log-item.ts";
import type { Message } from "../message/message.ts";
import { senderOf } from "../message/message.ts";
import { dayStatsChange } from "../stats/day-stats.ts";
import type { Exchange, ExchangeLimits, ExchangePair } from "../team/exchange.ts";
import { heldByLoopGuard, nextExchange } from "../team/exchange.ts";
import { changesFiles, classifyTool, normalizeToolName } from "../transcript/tool-calls.ts";
import type { Applied, Plan, Writes } from "./writes.ts";

export type Admission =
  | { outcome: "admitted" | "known"; message: Message; delivery: DeliveryRecord | null }
  /** The same id with another body. Nothing was changed. */
  | { outcome: "conflict" }
  /** The lane has changed since it was read. Nothing was written. */
  | { outcome: "lane_changed" };

/** What a message changes about its lane on admission, based on the lane as it was read. */
export type LaneChoice = {
  laneVersion: number;
  /** Whether it had any deliveries. */
  wasUsed: boolean;
  change: LaneChange;
};

/** `delivery` is null for a person's mailbox. */
export type AdmissionRequest = {
  message: Message;
  payloadHash: string;
  delivery: DeliveryRecord | null;
  choice: LaneChoice | null;
  /** For a message from one agent to another: the pair, and its limits. */
  exchange?: (ExchangePair & { limits: ExchangeLimits }) | null;
};

export type AdmissionFacts = {
  /** What the recipient already has under the same message id. */
  known: { message: Message; payloadHash: string; delivery: DeliveryRecord | null } | null;
  lane: Lane | null;
  /** Whether the lane has any deliveries; loaded only if there is a choice. */
  isUsed: boolean;
  /** The pair's exchange so far. */
  exchange: Exchange | null;
};

export type AdmissionPlan = Plan<Admission> | { refused: "lane_unknown" };

export function planAdmission(facts: AdmissionFacts, request: AdmissionRequest): AdmissionPlan {
  const { known, lane, isUsed } = facts;
  const { message, payloadHash, choice } = request;
  if (known && known.payloadHash !== payloadHash) return { result: { outcome: "conflict" } };
  if (known) return { result: { outcome: "known", message: known.message, delivery: known.delivery } };
  const messages = [{ message, payloadHash }];
  const { delivery, ...guarded } = underLoopGuard(facts, request);
  const result: Admission = { outcome: "admitted", message, delivery };
  if (!delivery) return { result, writes: { messages } };
  // The lane may have been removed since it was read.
  if (!lane) return { refused: "lane_unknown" };
  const isAsSeen = !choice || (choice.laneVersion === lane.version && choice.wasUsed === isUsed);
  if (!isAsSeen) return { result: { outcome: "lane_changed" } };
  const changed = choice && changedLane(lane, choice.change);
  return {
    result,
    writes: {
      messages,
      delivery,
      events: [{ type: "admitted", at: delivery.createdAt, record: delivery }],
      ...(changed && changed !== lane ? { lane: changed } : {}),
      ...guarded,
    },
  };
}

/** Counts messages between two agents; a message from a person or a program ends the count for its lane. */
function underLoopGuard(
  { exchange }: AdmissionFacts,
  { message, delivery, exchange: pair }: AdmissionRequest,
): { delivery: DeliveryRecord | null } & Pick<Writes, "exchange" | "alert" | "exchangesEnded"> {
  if (!delivery) return { delivery };
  if (!pair)
    return senderOf(message) === null && !message.inboxFile
      ? { delivery, exchangesEnded: delivery.laneId }
      : { delivery };
  const { limits, one, other } = pair;
  const next = nextExchange(exchange, { one, other }, limits, delivery.createdAt);
  if (next.heldAt === null) return { delivery, exchange: next };
  const alert = exchange?.heldAt == null ? { alert: loopAlert(next, delivery, next.heldAt) } : {};
  return { delivery: { ...delivery, heldReason: heldByLoopGuard }, exchange: next, ...alert };
}

function loopAlert({ one, other, count }: Exchange, delivery: DeliveryRecord, at: number): Alert {
  return {
    id: `loop:${one}:${other}:${at}`,
    kind: "loop",
    laneId: delivery.laneId,
    deliveryId: delivery.id,
    messageId: delivery.messageId,
    askId: null,
    person: null,
    reason: `${one} and ${other} exchanged ${count} messages and nothing else happened`,
    since: at,
    raisedAt: at,
  };
}

export type DeliveryFacts = {
  record: DeliveryRecord | null;
  lane: Lane | null;
  /** The delivery that holds the lane. */
  holder: string | null;
};

/** All events or none, with their mail. */
export function planEvents(
  { record: before, lane, holder }: DeliveryFacts,
  events: readonly DeliveryEvent[],
  messages: readonly OutgoingMail[],
): Plan<Applied> {
  if (!before) return refused("delivery_unknown", null);
  const next = applyEvents(before, events, lane);
  if ("refused" in next) return refused(next.reason, before);
  const { record, effects } = next;
  if (isOutstanding(record) && holder !== null && holder !== record.id) {
    return refused("lane_held_by_another_delivery", before);
  }
  const isRead = before.readCommittedAt === null && record.readCommittedAt !== null;
  const isWork =
    record.status === "responded" && before.status !== "responded" && record.observedToolNames.some(isWorkTool);
  const dayStats = dayStatsChange(before, record);
  return {
    result: { outcome: "applied", record, effects },
    writes: {
      change: { before, record },
      events,
      messages,
      ...(isRead && record.readCommittedAt !== null ? { readAt: record.readCommittedAt } : {}),
      ...(isWork ? { exchangesEnded: record.laneId } : {}),
      ...(dayStats ? { dayStats } : {}),
    },
  };
}

/** A changed file or task is more than talk. */
function isWorkTool(name: string): boolean {
  const normalized = normalizeToolName(name);
  return changesFiles(normalized) || classifyTool(normalized) === "task_change";
}

export type RebuildFacts = { isMessageKnown: boolean; existing: DeliveryRecord | null };

/** A new record for a message that has none. */
export function planRebuild({ isMessageKnown, existing }: RebuildFacts, record: DeliveryRecord): Plan<Applied> {
  if (!isMessageKnown) return refused("message_unknown", null);
  if (existing) return refused("delivery_known", existing);
  return {
    result: { outcome: "applied", record, effects: [] },
    writes: { delivery: record, events: [{ type: "rebuilt", at: record.createdAt, record }] },
  };
}

function refused(reason: string, record: DeliveryRecord | null): Plan<Applied> {
  return { result: { outcome: "refused", reason, record } };
}

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

export type SessionFacts = {
  lane: Lane;
  /** Another lane that owns the session. */
  owner: string | null;
  /** A restore loses sessions that were opened after the backup; generations continue above this. */
  generationFloor: number;
};

export type SessionPlan = { writes: Writes & { lane: Lane } } | { refused: "session_in_use"; owner: string };

/** Gives the session to the lane, as a new generation. */
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

/** Null, and nothing is written, while the lane has open deliveries. If it is created again, it is not paused. */
export function planRemoval(lane: Lane, hasOpenDeliveries: boolean, at: number): { writes: Writes } | null {
  if (hasOpenDeliveries) return null;
  return { writes: { lane: changedLane(lane, { pausedReason: null, team: null, member: null }), laneRemovedAt: at } };
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
export type ForkFacts = Omit<SessionFacts, "lane"> & { isTaken: boolean };

export type ForkPlan = SessionPlan | { refused: "lane_taken" };

export function planFork({ isTaken, ...facts }: ForkFacts, { lane, sessionId, at, usage, events }: LaneFork): ForkPlan {
  if (isTaken) return { refused: "lane_taken" };
  const made = planLane(null, lane);
  const begun: SessionPlan =
    sessionId === null ? { writes: { lane: made } } : planSession({ ...facts, lane: made }, sessionId, at);
  return "refused" in begun ? begun : { writes: { ...begun.writes, usage, agentEvents: events } };
}

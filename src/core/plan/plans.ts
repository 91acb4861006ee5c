/**
 * What a change writes to the store, from facts that an adapter has loaded: an admission, the events of a delivery, a record
 * that is gone, and the changes, the removal and the fork of a lane. A refusal writes nothing.
 */
import type { Alert } from "../delivery/alert.ts";
import type { DeliveryEvent } from "../delivery/delivery-event.ts";
import type { OutgoingMail } from "../delivery/outgoing-mail.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { isOutstanding } from "../delivery/record.ts";
import { applyEvents } from "../delivery/transition.ts";
import type { UsageEntry } from "../lane/daily-limit.ts";
import type { Lane, LaneChange, NewLane } from "../lane/lane.ts";
import type { NewEvent } from "../log/log-item.ts";
import type { Message } from "../message/message.ts";
import { senderOf } from "../message/message.ts";
import type { Exchange, ExchangeLimits, ExchangePair } from "../team/exchange.ts";
import { heldByLoopGuard, nextExchange } from "../team/exchange.ts";
import { changesFiles, classifyTool, normalizeToolName } from "../transcript/tool-names.ts";
import type { Applied, Plan, Writes } from "./writes.ts";

export type Admission =
  | { outcome: "admitted" | "known"; message: Message; delivery: DeliveryRecord | null }
  /** The same id with another body. Nothing was changed. */
  | { outcome: "conflict" }
  /** The lane is not any more what was seen. Nothing was changed. */
  | { outcome: "lane_changed" };

/** What a message changes about its lane as it is admitted, decided by what was seen of it. */
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
  /** Of a message from one agent to another: the pair, and how much it may write. */
  exchange?: (ExchangePair & { limits: ExchangeLimits }) | null;
};

export type AdmissionFacts = {
  /** What the recipient has under the same message id. */
  known: { message: Message; payloadHash: string; delivery: DeliveryRecord | null } | null;
  lane: Lane | null;
  /** Whether the lane has any deliveries; asked for only where there is a choice. */
  isUsed: boolean;
  /** What the pair has written to each other. */
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
  // It may have been removed since it was read.
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

/** What two agents write to each other is counted; a message from a person or a program ends the count of its lane. */
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
    reason: `${one} and ${other} wrote to each other ${count} times and nothing else happened`,
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

/** All events or none, with the mail that goes with them. */
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
  return {
    result: { outcome: "applied", record, effects, before },
    writes: {
      change: { before, record },
      events,
      messages,
      ...(isRead && record.readCommittedAt !== null ? { readAt: record.readCommittedAt } : {}),
      ...(isWork ? { exchangesEnded: record.laneId } : {}),
    },
  };
}

/** A changed file or task is more than words. */
function isWorkTool(name: string): boolean {
  const normalized = normalizeToolName(name);
  return changesFiles(normalized) || classifyTool(normalized) === "task_change";
}

export type RebuildFacts = { isMessageKnown: boolean; existing: DeliveryRecord | null };

/** A record for a message that has none. */
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
 * A lane that is there stays its member's unless it gets another. One that was removed (`before`) and is made again goes on
 * with its session and its generations, and is another one to those who hold its old token.
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

/** Null, and nothing is written, while deliveries are open in the lane. Made again, it goes on without the pause. */
export function planRemoval(lane: Lane, hasOpenDeliveries: boolean, at: number): { writes: Writes } | null {
  if (hasOpenDeliveries) return null;
  return { writes: { lane: changedLane(lane, { pausedReason: null, team: null, member: null }), laneRemovedAt: at } };
}

/** A lane that begins with what happened in another one. */
export type LaneFork = {
  lane: NewLane;
  sessionId: string | null;
  at: number;
  /** By the messages of its session, so that they do not count as used in it. */
  usage: readonly UsageEntry[];
  events: readonly NewEvent[];
};

/** `isTaken`: there is, or was, a lane of that id. */
export type ForkFacts = Omit<SessionFacts, "lane"> & { isTaken: boolean };

export type ForkPlan = SessionPlan | { refused: "lane_taken" };

export function planFork({ isTaken, ...facts }: ForkFacts, { lane, sessionId, at, usage, events }: LaneFork): ForkPlan {
  if (isTaken) return { refused: "lane_taken" };
  const made = planLane(null, lane);
  const begun: SessionPlan =
    sessionId === null ? { writes: { lane: made } } : planSession({ ...facts, lane: made }, sessionId, at);
  return "refused" in begun ? begun : { writes: { ...begun.writes, usage, agentEvents: events } };
}

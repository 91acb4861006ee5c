/**
 * Plans for messages and deliveries: an admission, the events of a delivery, a lost record, and what becomes of a row
 * in an inbox file. A refusal writes nothing.
 */

import type { DeliveryEvent, OutgoingMail } from "../delivery/delivery-event.ts";
import type { Alert, DeliveryRecord } from "../delivery/record.ts";
import { isOutstanding } from "../delivery/record.ts";
import { applyEvents } from "../delivery/transition.ts";
import type { HandOver, HandOverChange } from "../inbox/hand-over.ts";
import { inboxFor } from "../inbox/hand-over.ts";
import { inboxNote } from "../inbox/inbox-note.ts";
import type { Lane, LaneChange } from "../lane/lane.ts";
import type { Message } from "../message/message.ts";
import { addressKey, senderOf } from "../message/message.ts";
import type { DayStats } from "../stats/day-stats.ts";
import { changedStats, dayStatsChange } from "../stats/day-stats.ts";
import type { Exchange, ExchangeLimits, ExchangePair } from "../team/exchange.ts";
import { heldByLoopGuard, nextExchange } from "../team/exchange.ts";
import { changesFiles, classifyTool, normalizeToolName } from "../transcript/tool-calls.ts";
import { changedLane, laneEntry } from "./lane-plans.ts";
import type { Applied, LogWrite, NewMail, Plan, Refusal, Writes } from "./writes.ts";

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

/** Teams with inbox files, and the lanes whose agents wrote the messages; without such a team, no lanes. */
export type InboxFacts = { teams: ReadonlySet<string>; lanes: readonly Lane[] };

export type AdmissionFacts = {
  /** What the recipient already has under the same message id. */
  known: { message: Message; payloadHash: string; delivery: DeliveryRecord | null } | null;
  lane: Lane | null;
  /** Whether the lane has any deliveries; loaded only if there is a choice. */
  isUsed: boolean;
  /** The pair's exchange so far. */
  exchange: Exchange | null;
  inboxes: InboxFacts;
};

export function planAdmission(
  facts: AdmissionFacts,
  request: AdmissionRequest,
  now: number,
): Plan<Admission> | Refusal {
  const { known, lane, isUsed, inboxes } = facts;
  const { message, payloadHash, choice } = request;
  if (known && known.payloadHash !== payloadHash) return { result: { outcome: "conflict" } };
  if (known) return { result: { outcome: "known", message: known.message, delivery: known.delivery } };
  const messages = [newMail({ message, payloadHash }, inboxes)];
  const { delivery, alert, ...guarded } = underLoopGuard(facts, request);
  const result: Admission = { outcome: "admitted", message, delivery };
  if (!delivery) return { result, writes: { messages, log: [{ type: "message", message }] } };
  // The lane may have been removed since it was read.
  if (!lane) return { refused: "lane_unknown", lane: delivery.laneId };
  const isAsSeen = !choice || (choice.laneVersion === lane.version && choice.wasUsed === isUsed);
  if (!isAsSeen) return { result: { outcome: "lane_changed" } };
  const changed = choice ? changedLane(lane, choice.change) : lane;
  return {
    result,
    writes: {
      ...(changed === lane ? {} : { lanes: [changed] }),
      messages,
      deliveries: [delivery],
      ...guarded,
      ...(alert ? { alert } : {}),
      log: [
        ...(changed === lane ? [] : [laneEntry(changed, now)]),
        { type: "message", message },
        ...(alert ? [alertEntry(alert)] : []),
        admissionEntry(delivery, message),
      ],
    },
  };
}

function newMail({ message, payloadHash }: OutgoingMail, { teams, lanes }: InboxFacts): NewMail {
  const isForReader = teams.size > 0 && message.recipient.kind !== "lane";
  if (!isForReader) return { message, payloadHash, inbox: null };
  const laneId = conversationOf(message);
  const lane = lanes.find(({ id }) => id === laneId) ?? null;
  return { message, payloadHash, inbox: inboxFor(message, lane, (team) => teams.has(team)) };
}

/** The lane whose conversation contains a message. */
export function conversationOf({ fromLane, laneId }: Pick<Message, "fromLane" | "laneId">): string | null {
  return fromLane ?? laneId;
}

function admissionEntry(record: DeliveryRecord, admitted: Message): LogWrite {
  const event = { type: "admitted", at: record.createdAt, record } as const;
  return { type: "delivery", change: { record, events: [event], admitted } };
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

function alertEntry(alert: Alert): LogWrite {
  return { type: "alert", at: alert.raisedAt, laneId: alert.laneId, alert };
}

/** An alert is raised once. */
export function planAlert(isRaised: boolean, alert: Alert): Plan<boolean> {
  return isRaised ? { result: false } : { result: true, writes: { alert, log: [alertEntry(alert)] } };
}

export type DeliveryFacts = {
  record: DeliveryRecord | null;
  lane: Lane | null;
  /** The delivery that holds the lane. */
  holder: string | null;
  /** Whether its recipient already has the mail that is written with the events, in its order. */
  isStored: readonly boolean[];
  inboxes: InboxFacts;
  /** The lane's statistics of the days that the events may change; see `changedDays`. */
  dayStats: readonly DayStats[];
};

/** All events or none, with their mail. Mail that its recipient already has is left as it is. */
export function planEvents(
  facts: DeliveryFacts,
  events: readonly DeliveryEvent[],
  outgoing: readonly OutgoingMail[],
): Plan<Applied> {
  const { record: before, lane, holder } = facts;
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
  const ended = dayStatsChange(before, record);
  const mail = outgoing.filter((one, place) => !facts.isStored[place] && isFirst(one, place, outgoing));
  const begun = mail.flatMap(({ message, delivery }) => (delivery ? [{ message, delivery }] : []));
  return {
    result: { outcome: "applied", record, effects },
    writes: {
      change: { before, record },
      ...(mail.length > 0 ? { messages: mail.map((one) => newMail(one, facts.inboxes)) } : {}),
      ...(begun.length > 0 ? { deliveries: begun.map(({ delivery }) => delivery) } : {}),
      ...(isRead && record.readCommittedAt !== null ? { readAt: record.readCommittedAt } : {}),
      ...(isWork ? { exchangesEnded: record.laneId } : {}),
      ...(ended ? { dayStats: changedStats(facts.dayStats, ended) } : {}),
      log: [
        ...mail.map(({ message }) => ({ type: "message", message }) as const),
        ...begun.map(({ message, delivery }) => admissionEntry(delivery, message)),
        { type: "delivery", change: { record, before, events } },
      ],
    },
  };
}

function isFirst({ message }: OutgoingMail, place: number, all: readonly OutgoingMail[]): boolean {
  const key = addressKey(message.recipient);
  return !all.slice(0, place).some((one) => one.message.id === message.id && addressKey(one.message.recipient) === key);
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
  const event = { type: "rebuilt", at: record.createdAt, record } as const;
  return {
    result: { outcome: "applied", record, effects: [] },
    writes: { deliveries: [record], log: [{ type: "delivery", change: { record, events: [event] } }] },
  };
}

function refused(reason: string, record: DeliveryRecord | null): Plan<Applied> {
  return { result: { outcome: "refused", reason, record } };
}

/** `laneId`: the lane whose conversation contains the message. */
export type HandOverFacts = { handOver: HandOver; message: Pick<Message, "recipient" | "laneId"> } | null;

/** Null, and nothing is written, for a message that is not in a file. */
export function planHandOver(
  facts: HandOverFacts,
  change: HandOverChange,
  at: number,
  restored: boolean,
): Plan<HandOver | null> {
  if (!facts) return { result: null };
  const { recipient, laneId } = facts.message;
  const handOver: HandOver = { ...facts.handOver, ...change, changedAt: at };
  const { team, inbox, messageId, state, reason } = handOver;
  const event = restored ? "restored" : "hand_over";
  const note = inboxNote({ team, inbox, event, messageId, state, reason });
  return {
    result: handOver,
    writes: { handOver: { recipient, handOver }, log: [{ type: "inbox", at, laneId, ...note }] },
  };
}

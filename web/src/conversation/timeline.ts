/**
 * A conversation in chronological order: messages, and the turns in which the agent worked on them. An answer that is
 * the final text of a turn is shown in the turn, and not again below it; the ledger knows which row it was. Pure; an
 * unchanged entry is the same object as before, so that it is not rendered again.
 */

import type { Delivery, Message } from "waybill/client";
import { groupBy } from "../group-by.ts";
import { keyOf } from "../live/message-key.ts";
import type { AttemptNote, LaneEvents, ShownItem, Turn } from "../live/turns.ts";

export type MessageEntry = {
  type: "message";
  key: string;
  at: number;
  message: Message;
  delivery: Delivery | null;
  isAcknowledged: boolean;
};

export type TurnEntry = {
  type: "turn";
  key: string;
  at: number;
  turn: Turn;
  /** The attempt whose prompt it answers. */
  attempt: AttemptNote | null;
  /** The items that are answers, by id, with the message in which each was delivered. */
  answers: ReadonlyMap<string, Message>;
};

export type Entry = MessageEntry | TurnEntry | { type: "day"; key: string; at: number };

export type TimelineInput = {
  messages: readonly Message[];
  deliveries: ReadonlyMap<string, Delivery>;
  events: LaneEvents;
};

export function timelineOf({ messages, deliveries, events }: TimelineInput): Entry[] {
  const turns = withAttempts(events);
  const answers = answersByItem(messages, deliveries, turns);
  const inTurns = new Set(answers.values());
  const acknowledged = new Set(
    messages.filter(({ outcome }) => outcome === "acknowledgement").map(({ relayOfMessageId }) => relayOfMessageId),
  );
  let holder: string | null = null;
  const said = messages
    .filter((message) => !inTurns.has(message))
    .map((message): MessageEntry => {
      const known = "person" in message.to ? null : (deliveries.get(message.id) ?? null);
      const delivery = known && behind(known, holder, deliveries);
      if (known && isInLine(known)) holder ??= message.id;
      return messageEntry(message, delivery, acknowledged.has(message.id));
    });
  const worked = turns.map(({ turn, attempt }) => turnEntry(turn, attempt, answers));
  return withDays(inOrder(said, worked.filter(hasContent)));
}

const messageEntries = new WeakMap<Message, MessageEntry>();
const turnEntries = new WeakMap<Turn, TurnEntry>();
/** By the delivery as it was received. */
const waitingDeliveries = new WeakMap<Delivery, Delivery>();

function messageEntry(message: Message, delivery: Delivery | null, isAcknowledged: boolean): MessageEntry {
  const known = messageEntries.get(message);
  if (known && known.delivery === delivery && known.isAcknowledged === isAcknowledged) return known;
  const at = known?.at ?? Date.parse(message.createdAt);
  const key = known?.key ?? `message ${keyOf(message)}`;
  const entry: MessageEntry = { type: "message", key, at, message, delivery, isAcknowledged };
  messageEntries.set(message, entry);
  return entry;
}

function turnEntry(turn: Turn, attempt: AttemptNote | null, answers: ReadonlyMap<string, Message>): TurnEntry {
  const own = turn.items.flatMap(({ id }) => pairOf(id, answers.get(id)));
  const known = turnEntries.get(turn);
  const isSame =
    known?.attempt === attempt &&
    known.answers.size === own.length &&
    own.every(([id, message]) => known.answers.get(id) === message);
  if (known && isSame) return known;
  const { number, startedAt } = turn;
  const entry: TurnEntry = { type: "turn", key: `turn ${number}`, at: startedAt, turn, attempt, answers: new Map(own) };
  turnEntries.set(turn, entry);
  return entry;
}

/** A turn is placed below its message, and above messages written while it ran; any other turn at its start time. */
function inOrder(said: readonly MessageEntry[], worked: readonly TurnEntry[]): (MessageEntry | TurnEntry)[] {
  const messages = new Set(said.map(({ message }) => message.id));
  const isOwn = ({ attempt }: TurnEntry) => attempt !== null && messages.has(attempt.message);
  const own = groupBy(worked.filter(isOwn), ({ attempt }) => attempt?.message);
  const byTime = [...said, ...worked.filter((turn) => !isOwn(turn))].sort((one, other) => one.at - other.at);
  return byTime.flatMap((entry) =>
    entry.type === "message" && entry.delivery !== null ? [entry, ...(own.get(entry.message.id) ?? [])] : [entry],
  );
}

/**
 * What a message waits for: the first earlier one that has not ended. The stream does not report it; what was read
 * may be about a message that has ended since.
 */
function behind(delivery: Delivery, holder: string | null, deliveries: ReadonlyMap<string, Delivery>): Delivery {
  if (delivery.status !== "pending") return delivery;
  const { queuedBehindMessageId: told, ...rest } = delivery;
  const toldOf = told === undefined ? undefined : deliveries.get(told);
  const isTold = told !== undefined && (toldOf === undefined || isInLine(toldOf));
  const ahead = isTold ? told : (holder ?? undefined);
  if (ahead === told) return delivery;
  const known = waitingDeliveries.get(delivery);
  if (known && known.queuedBehindMessageId === ahead) return known;
  const waiting = ahead === undefined ? rest : { ...rest, queuedBehindMessageId: ahead };
  waitingDeliveries.set(delivery, waiting);
  return waiting;
}

/** A held message lets later ones pass. */
function isInLine({ status, responsePending, heldReason }: Delivery): boolean {
  return responsePending && status !== "failed_terminal" && status !== "cancelled" && heldReason === null;
}

function pairOf<T>(id: string, value: T | undefined): [string, T][] {
  return value === undefined ? [] : [[id, value]];
}

type AttemptedTurn = { turn: Turn; attempt: AttemptNote | null };

/** By the id of its prompt; if a program accepts no ids, the first turn after the prompt was sent. */
function withAttempts({ attempts, turns }: LaneEvents): AttemptedTurn[] {
  const byPrompt = new Map<string, number>();
  const byTurn = new Map<Turn, number>();
  let next = 0;
  for (const [index, { prompt, at }] of attempts.entries()) {
    if (prompt !== null) byPrompt.set(prompt, index);
    else {
      while (next < turns.length && startedBefore(turns[next], at)) next += 1;
      const turn = turns[next];
      if (turn) byTurn.set(turn, index);
    }
  }
  return turns.map((turn) => {
    const prompts = [turn.prompt ?? "", ...turn.items.map(({ id }) => id)];
    const last = Math.max(byTurn.get(turn) ?? -1, ...prompts.map((prompt) => byPrompt.get(prompt) ?? -1));
    return { turn, attempt: attempts[last] ?? null };
  });
}

function startedBefore(turn: Turn | undefined, at: number): boolean {
  return turn !== undefined && turn.startedAt < at;
}

/** Replies that are text of a turn, by the item that contains them. */
function answersByItem(
  messages: readonly Message[],
  deliveries: ReadonlyMap<string, Delivery>,
  turns: readonly AttemptedTurn[],
): Map<string, Message> {
  const byMessage = groupBy(turns, ({ attempt }) => attempt?.message);
  const byItem = new Map<string, Message>();
  for (const message of messages) {
    const delivery = message.relayOfMessageId === null ? undefined : deliveries.get(message.relayOfMessageId);
    const own = (delivery && byMessage.get(delivery.messageId)) ?? [];
    const item = delivery ? itemOf(message, delivery, own) : null;
    if (item !== null && !byItem.has(item)) byItem.set(item, message);
  }
  return byItem;
}

/** Waybill's own ids identify the source of a reply; any other reply was sent with a tool, and is shown separately. */
function itemOf({ id }: Message, delivery: Delivery, turns: readonly AttemptedTurn[]): string | null {
  const texts = (turn: Turn) => turn.items.filter(isWords).map((item) => item.id);
  const remark = id.startsWith(`remark-${delivery.id}-`) ? Number(id.slice(`remark-${delivery.id}-`.length)) : null;
  if (remark !== null) {
    const said = turns.find(({ attempt }) => attempt?.number === remark);
    return said ? (texts(said.turn).at(-1) ?? null) : null;
  }
  if (!id.startsWith(`answer-${delivery.id}`)) return null;
  const all = turns.flatMap(({ turn }) => texts(turn));
  const observed = delivery.assistantMessageId;
  return observed !== null && all.includes(observed) ? observed : (all.at(-1) ?? null);
}

function isWords({ kind, role, nativeSession, parts }: ShownItem): boolean {
  if (kind !== "message" || role !== "assistant" || nativeSession !== null) return false;
  return parts.some((part) => part.type === "text" && part.text.trim() !== "");
}

/** A prompt alone is not shown: its message is. */
function hasContent({ turn }: TurnEntry): boolean {
  const isPromptOnly = turn.items.every(({ role }) => role === "user");
  return !isPromptOnly || turn.reason !== "completed" || turn.errors.length > 0;
}

/** Each day once: a turn past midnight may be above a message of the day before. */
function withDays(entries: readonly (MessageEntry | TurnEntry)[]): Entry[] {
  let end = Number.NEGATIVE_INFINITY;
  return entries.flatMap((entry): Entry[] => {
    if (entry.at < end) return [entry];
    const day = new Date(entry.at);
    const begin = day.setHours(0, 0, 0, 0);
    end = day.setDate(day.getDate() + 1);
    return [{ type: "day", key: `day ${begin}`, at: entry.at }, entry];
  });
}

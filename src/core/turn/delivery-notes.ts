/**
 * Notes on what the ledger does with a lane's messages, published among the agent's events: a viewer of a lane sees a
 * message as soon as it is admitted, which prompt belongs to it, when it will be asked again, and its end. They are
 * for display only; the ledger has its own complete stream.
 *
 * They are `status` items of the daemon: `delivery:MESSAGE` from admission to its end, `attempt:MESSAGE:N`, and
 * `retry:MESSAGE:N` after attempt N. A failed message that a person retries begins a second time, as its own item:
 * `delivery:MESSAGE#2`.
 */
import type { Attempt } from "../delivery/attempt.ts";
import type { DeliveryChange } from "../delivery/delivery-event.ts";
import type { DeliveryRecord } from "../delivery/record.ts";
import { isOutstanding } from "../delivery/record.ts";
import type { Message } from "../message/message.ts";
import type { Item } from "./item.ts";
import type { EventBody } from "./universal-event.ts";

export const deliveryNote = "delivery";
export const attemptNote = "attempt";
export const retryNote = "retry_scheduled";

/** `round` is missing in notes written before rounds were counted, and means the first. */
type OfRound = { message: string; round?: number };
export type DeliveryNote = OfRound & { from: string; text: string; source: string; createdAt: number };
export type DeliveryEndNote = OfRound & { status: string; reason: string | null };
/** `prompt` is the prompt's item in the agent's turn; null if the runtime takes no ids. */
export type AttemptNote = { message: string; number: number; kind: string; prompt: string | null };
/** The attempt with this number did not suffice; the next one is made at `next`. */
export type RetryNote = { message: string; attempt: number; reason: string | null; next: number };

/** Always complete, so that a reader who sees it for the first time can show it. */
export function beginNotes({ id, from, text, source, createdAt }: Message, round: number): EventBody[] {
  const value: DeliveryNote = { message: id, round, from, text, source, createdAt };
  return [{ type: "item.started", data: { item: statusItem(roundItem(id, round), deliveryNote, value) } }];
}

export function changeNotes({ record, before, events, admitted }: DeliveryChange, takesIds: boolean): EventBody[] {
  if (admitted) return beginNotes(admitted, record.rounds);
  const isSent = events.some(({ type }) => type === "submit" || type === "submit_follow_up");
  const attempt = isSent ? record.attemptList.at(-1) : undefined;
  const notes = attempt ? attemptNotes(record, attempt, takesIds) : [];
  const retry = events.find((event) => event.type === "retry_scheduled");
  if (retry && retry.reconcileAt > retry.at) notes.push(...retryNotes(record, retry.reconcileAt));
  if (before && isOver(record) && !isOver(before)) notes.push(endNote(record));
  return notes;
}

/** The prompts of a stopped message that its agent never began, once that is known. No signal ends their turn. */
export function promptsNeverBegun({ record, before }: DeliveryChange): string[] {
  const isOverNow = record.status === "cancelled" && record.turnEndedAt !== null && before?.turnEndedAt === null;
  if (!isOverNow || record.responseState !== "prompt_delivered_no_assistant_message") return [];
  return record.attemptList.map(({ messageId }) => messageId);
}

/** Also for a message whose end was not noted because the daemon died before. */
export function endNote(record: Pick<DeliveryRecord, "messageId" | "rounds" | "status" | "lastReason">): EventBody {
  const { messageId, rounds: round, status, lastReason } = record;
  const value: DeliveryEndNote = { message: messageId, round, status, reason: lastReason };
  const item = statusItem(roundItem(messageId, round), deliveryNote, value);
  return {
    type: "item.completed",
    data: { item: { ...item, status: status === "responded" ? "completed" : "failed" } },
  };
}

/** It has ended, and nothing more is asked, awaited or stopped for it in its lane. */
export function isOver(record: DeliveryRecord): boolean {
  const hasEnded = ["responded", "failed_terminal", "cancelled"].includes(record.status);
  return hasEnded && !isOutstanding(record);
}

function attemptNotes(
  { messageId: message, rounds }: DeliveryRecord,
  { number, kind, messageId }: Attempt,
  takesIds: boolean,
): EventBody[] {
  const value: AttemptNote = { message, number, kind, prompt: takesIds ? messageId : null };
  return wholeNote(statusItem(`${attemptNote}:${message}:${number}`, attemptNote, value), roundItem(message, rounds));
}

function retryNotes({ messageId: message, rounds, attemptList, lastReason: reason }: DeliveryRecord, next: number) {
  const value: RetryNote = { message, attempt: attemptList.length, reason, next };
  const item = statusItem(`retry:${message}:${attemptList.length}`, retryNote, value);
  return wholeNote(item, roundItem(message, rounds));
}

function wholeNote(item: Item, parent: string): EventBody[] {
  return [
    { type: "item.started", data: { item: { ...item, parent, parts: [] } } },
    { type: "item.completed", data: { item: { ...item, parent, status: "completed" } } },
  ];
}

/** Message ids cannot contain `#`. */
function roundItem(message: string, round: number): string {
  return round === 1 ? `${deliveryNote}:${message}` : `${deliveryNote}:${message}#${round}`;
}

/** The message and round of an item; null if it is not a delivery note. */
export function roundOf(item: string): { message: string; round: number } | null {
  if (!item.startsWith(`${deliveryNote}:`)) return null;
  const [message = "", round] = item.slice(deliveryNote.length + 1).split("#");
  return { message, round: round === undefined ? 1 : Number(round) };
}

function statusItem(id: string, name: string, value: unknown): Item {
  const parts: Item["parts"] = [{ type: "json", id, value }];
  return { id, kind: "status", role: null, name, parent: null, status: "in_progress", parts };
}

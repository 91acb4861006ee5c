/**
 * What a projection has to know of a lane's past before it can take an event: the newest turns, and the beginning of
 * every message that was open then, however many turns it had waited. Found by reading backwards, so that it costs the
 * same in a long log.
 */
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import type { DeliveryNote } from "../../../core/turn/delivery-notes.ts";
import { attemptNote, deliveryNote, isOver } from "../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Service } from "../../../service/service.ts";

export type Past = Pick<Service, "eventsBefore" | "deliveries">;

/** `time` is that of the event that is to be taken; without one, now. */
export type Moment = { seq: number; time: number | null };

const atOnce = 100;
const deliveriesAtOnce = 200;
/** The attempt at a prompt stands before its turn begins, and so in or after the turn before. */
const turnsBack = 2;
/** The times of events are those of agents, too, whose clocks may differ from ours. */
const clocksDifferMs = 60_000;

/** Oldest first: those before the number `seq`. */
export async function recallLane(past: Past, laneId: string, { seq, time }: Moment): Promise<UniversalEvent[]> {
  /** By message, when it was admitted; null where that is not known. */
  const wanted = await openAt(past, laneId, time ?? Number.POSITIVE_INFINITY);
  const found: UniversalEvent[] = [];
  let turns = 0;
  while (turns < turnsBack || wanted.size > 0) {
    const page = await past.eventsBefore(laneId, found.at(-1)?.seq ?? seq, atOnce);
    const oldest = page.at(-1);
    if (!oldest) break;
    for (const event of page) {
      found.push(event);
      if (event.type === "turn.started") turns += 1;
      const note = noteOf(event);
      if (note?.begins) wanted.delete(note.message);
      else if (note && turns < turnsBack && !wanted.has(note.message)) wanted.set(note.message, null);
    }
    for (const [message, admittedAt] of wanted) {
      // It was admitted, and noted after the event that is to be taken.
      if (admittedAt !== null && oldest.time < admittedAt - clocksDifferMs) wanted.delete(message);
    }
  }
  return found.reverse();
}

/**
 * The messages that may have been open at a time, from the ledger: one that waits is not written of in the events. A
 * lane takes its messages in their order, so what came before one that was answered had ended, too.
 */
async function openAt(past: Past, lane: string, time: number): Promise<Map<string, number | null>> {
  const open = new Map<string, number | null>();
  const latest = time + clocksDifferMs;
  for await (const record of recordsOf(past, { lane })) {
    if (record.createdAt > latest) continue;
    const endedAt = record.respondedAt ?? record.failedAt ?? record.cancelledAt ?? record.updatedAt;
    if (!isOver(record) || endedAt >= time - clocksDifferMs) open.set(record.messageId, record.createdAt);
    else if (record.status === "responded") break;
  }
  // One that a person retried stands where it stood, before others that were answered meanwhile.
  for await (const record of recordsOf(past, { lane, statuses: ["pending", ...openStatuses] })) {
    if (record.createdAt <= latest) open.set(record.messageId, record.createdAt);
  }
  return open;
}

type Filter = Omit<Parameters<Past["deliveries"]>[0], "limit" | "cursor">;

/** Newest first. */
async function* recordsOf(past: Past, filter: Filter): AsyncGenerator<DeliveryRecord> {
  let cursor: string | undefined;
  do {
    const page = await past.deliveries({ ...filter, limit: deliveriesAtOnce, cursor });
    for (const { record } of page.items) yield record;
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
}

/** The message that a note is about, and whether it begins with it, or once more. */
export function noteOf(event: UniversalEvent): { message: string; begins: boolean; name: string } | null {
  if (event.type !== "item.started" && event.type !== "item.completed") return null;
  const { source, synthetic, data } = event;
  const { name, parts } = data.item;
  if (source !== "daemon" || synthetic || (name !== deliveryNote && name !== attemptNote)) return null;
  const [part] = parts;
  if (part?.type !== "json") return null;
  const { message } = part.value as Pick<DeliveryNote, "message">;
  return { message, begins: name === deliveryNote && event.type === "item.started", name };
}

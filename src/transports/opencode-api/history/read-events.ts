/**
 * Reads a lane's kept events backwards from the newest, only as far as needed, so the cost does not depend on the length
 * of the log. Other work can run between two pages.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Service } from "../../../service/service.ts";
import { ledgerNote } from "../projection/ledger-notes.ts";
import { SessionProjection } from "../projection/session-projection.ts";
import type { NativeEvent, SessionSettings } from "../projection/session-view.ts";

/** Newest first, before the number `seq`. */
export type ReadBefore = (seq: number | null, limit: number) => Promise<readonly UniversalEvent[]>;

/**
 * Begins where the agent was at rest, with some margin: it contains whole turns, together with the notes just before
 * them.
 */
export type EventSpan = {
  /** Oldest first. Begins with older admissions that later events refer to. */
  events: readonly UniversalEvent[];
  /** Nothing is missing from then on; null if the span has all events. */
  completeSince: number | null;
};

const pageSize = 200;
/** How many extra rests are read: the notes about a turn may come a little before it. */
const spareRests = 2;
/** How far back to search for admissions that are older than the span. */
const maxAdmissionAge = 2000;

export function readerOf(service: Pick<Service, "eventsBefore">, lane: string): ReadBefore {
  return (seq, limit) => service.eventsBefore(lane, seq, limit);
}

/** One by one, newest first. */
export async function* eventsBackwards(
  read: ReadBefore,
  from: number | null,
  max = Number.POSITIVE_INFINITY,
): AsyncGenerator<UniversalEvent> {
  let before = from;
  for (let count = 0; count < max; count += pageSize) {
    const page = await read(before, pageSize);
    yield* page;
    if (page.length < pageSize) return;
    before = page.at(-1)?.seq ?? 0;
    await nextTurn();
  }
}

/** Each span is at least twice as long as the previous one; the last has all kept events. */
export async function* readSpans(read: ReadBefore, before: number | null): AsyncGenerator<EventSpan> {
  const back: UniversalEvent[] = [];
  let [tried, rests] = [0, 0];
  while (true) {
    const page = await read(back.at(-1)?.seq ?? before, pageSize);
    back.push(...page);
    rests += page.filter(isRest).length;
    if (page.length < pageSize) {
      yield { events: back.toReversed(), completeSince: null };
      return;
    }
    await nextTurn();
    if (back.length < 2 * tried || rests <= spareRests) continue;
    const span = await spanIn(back.toReversed(), read);
    if (!span) continue;
    tried = back.length;
    yield span;
  }
}

async function spanIn(events: readonly UniversalEvent[], read: ReadBefore): Promise<EventSpan | null> {
  const rests = events.flatMap((event, index) => (isRest(event) ? [index] : []));
  const [first, counted] = [rests[0], rests[spareRests]];
  const since = counted === undefined ? undefined : events[counted + 1];
  if (first === undefined || since === undefined) return null;
  const whole = events.slice(first + 1);
  const early = await admissionsBefore(whole[0]?.seq ?? 0, admittedEarlier(whole), read);
  return { events: [...early, ...whole], completeSince: since.time };
}

/** Whether the lane is at rest after this event, judging by the event alone. */
export function isRest(event: UniversalEvent): boolean {
  return event.type === "turn.ended" || (event.turn === null && ledgerNote(event)?.type === "ended");
}

/** Messages with an attempt in these events whose admission is not among them. */
function admittedEarlier(events: readonly UniversalEvent[]): Set<string> {
  const missing = new Set<string>();
  const admitted = new Set<string>();
  for (const event of events) {
    const noted = ledgerNote(event);
    if (!noted || noted.type === "ended") continue;
    const { message } = noted.note;
    if (noted.type === "admitted") admitted.add(message);
    else if (!admitted.has(message)) missing.add(message);
  }
  return missing;
}

async function admissionsBefore(seq: number, missing: Set<string>, read: ReadBefore): Promise<UniversalEvent[]> {
  const found: UniversalEvent[] = [];
  if (missing.size === 0) return found;
  for await (const event of eventsBackwards(read, seq, maxAdmissionAge)) {
    const noted = ledgerNote(event);
    if (noted?.type === "admitted" && missing.delete(noted.note.message)) found.push(event);
    if (missing.size === 0) break;
  }
  return found.reverse();
}

export type LanePast = Pick<Service, "eventsBefore" | "deliveries">;

/** `time` is the time of the event to process; null for now. */
export type RestorePoint = { seq: number; time: number | null };

const eventsPageSize = 100;
const deliveriesPageSize = 200;
/** The note about an attempt precedes its turn, so it may be in or after the previous turn. */
const turnsBack = 2;
/** Some events have the time of the agent, whose clock may differ from ours. */
const clocksDifferMs = 60_000;

/**
 * The part of a lane's past that a projection needs before it can process the event `seq`, oldest first: the newest
 * turns, and the admission of every message that was open then, however many turns it had waited.
 */
export async function restoreLane(
  past: LanePast,
  laneId: string,
  { seq, time }: RestorePoint,
): Promise<UniversalEvent[]> {
  /** Admission time by message; null if unknown. */
  const missing = await openAt(past, laneId, time ?? Number.POSITIVE_INFINITY);
  const found: UniversalEvent[] = [];
  let turns = 0;
  while (turns < turnsBack || missing.size > 0) {
    const page = await past.eventsBefore(laneId, found.at(-1)?.seq ?? seq, eventsPageSize);
    const oldest = page.at(-1);
    if (!oldest) break;
    for (const event of page) {
      found.push(event);
      if (event.type === "turn.started") turns += 1;
      const noted = ledgerNote(event);
      if (!noted) continue;
      const { message } = noted.note;
      if (noted.type === "admitted") missing.delete(message);
      else if (turns < turnsBack && !missing.has(message)) missing.set(message, null);
    }
    for (const [message, admittedAt] of missing) {
      // Its admission was noted after the event to process.
      if (admittedAt !== null && oldest.time < admittedAt - clocksDifferMs) missing.delete(message);
    }
  }
  return found.reverse();
}

/**
 * The messages that may have been open at a time, from the ledger: events do not mention a waiting message. A lane
 * processes its messages in order, so all messages before an answered one had ended.
 */
async function openAt(past: LanePast, lane: string, time: number): Promise<Map<string, number | null>> {
  const open = new Map<string, number | null>();
  const latest = time + clocksDifferMs;
  for await (const record of recordsOf(past, { lane, statuses: ["responded", "failed_terminal", "cancelled"] })) {
    if (record.createdAt > latest) continue;
    const endedAt = record.respondedAt ?? record.failedAt ?? record.cancelledAt ?? record.updatedAt;
    if (endedAt >= time - clocksDifferMs) open.set(record.messageId, record.createdAt);
    else if (record.status === "responded") break;
  }
  for await (const record of recordsOf(past, { lane, statuses: ["pending", ...openStatuses] })) {
    if (record.createdAt <= latest) open.set(record.messageId, record.createdAt);
  }
  return open;
}

type RecordFilter = Omit<Parameters<LanePast["deliveries"]>[0], "limit" | "cursor">;

/** Newest first. */
async function* recordsOf(past: LanePast, filter: RecordFilter): AsyncGenerator<DeliveryRecord> {
  let cursor: string | undefined;
  do {
    const page = await past.deliveries({ ...filter, limit: deliveriesPageSize, cursor });
    for (const { record } of page.items) yield record;
    cursor = page.next ?? undefined;
    // Thousands may be queued.
    await nextTurn();
  } while (cursor !== undefined);
}

export type FoldedEvents = {
  projection: SessionProjection;
  events: readonly UniversalEvent[];
  published: readonly NativeEvent[];
  /** The event that each message began with. */
  begun: ReadonlyMap<string, UniversalEvent>;
};

const eventsATurn = 250;

/** Projects kept events from the first one on. There may be thousands, so it yields to other work in between. */
export async function foldEvents(events: readonly UniversalEvent[], settings: SessionSettings): Promise<FoldedEvents> {
  const projection = new SessionProjection(settings);
  const begun = new Map<string, UniversalEvent>();
  const published: NativeEvent[] = [];
  for (const [index, event] of events.entries()) {
    if (index % eventsATurn === eventsATurn - 1) await nextTurn();
    for (const one of projection.take(event)) {
      published.push(one);
      const messageID = one.type === "message.updated" ? (one.properties.info as { id: string }).id : null;
      if (messageID !== null && !begun.has(messageID)) begun.set(messageID, event);
    }
  }
  return { projection, events, published, begun };
}

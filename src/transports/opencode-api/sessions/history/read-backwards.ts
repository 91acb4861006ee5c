/**
 * Reads a lane's events backwards from the newest, only as far as needed. A span begins where the agent was at rest,
 * with some margin: it contains whole turns, together with the notes just before them. Other work can run between two
 * pages.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { UniversalEvent } from "../../../../core/turn/universal-event.ts";
import type { Service } from "../../../../service/service.ts";
import { ledgerNote } from "../../projection/ledger-note.ts";

/** Newest first, before the number `seq`. */
export type ReadBefore = (seq: number | null, limit: number) => Promise<readonly UniversalEvent[]>;

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

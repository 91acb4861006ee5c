/**
 * A lane's events, read from the newest backwards and only as far as they are needed. What is read begins where the
 * agent rested, with some to spare: a turn is told whole or not at all, and so is what was noted just before it.
 */
import type { AttemptNote, DeliveryNote } from "../../../../core/turn/delivery-notes.ts";
import { attemptNote, deliveryNote } from "../../../../core/turn/delivery-notes.ts";
import type { UniversalEvent } from "../../../../core/turn/universal-event.ts";

/** Newest first, before the number `seq`. */
export type ReadBefore = (seq: number | null, limit: number) => Promise<readonly UniversalEvent[]>;

export type Stretch = {
  /** Oldest first. Admissions from before the stretch lead it, where what follows refers to them. */
  events: readonly UniversalEvent[];
  /** From then on nothing is missing; null when it is all that there is. */
  wholeSince: number | null;
};

const slice = 200;
/** How many rests are read beyond what is counted: the notes about a turn may stand a little before it. */
const spareRests = 2;
/** How far admissions are looked for that are older than the stretch. */
const farthestAdmission = 2000;

/** Ever longer stretches, each at least twice the one before, up to all that is kept. */
export async function* stretchesBack(read: ReadBefore, before: number | null): AsyncGenerator<Stretch> {
  const back: UniversalEvent[] = [];
  let tried = 0;
  while (true) {
    const more = await read(back.at(-1)?.seq ?? before, slice);
    back.push(...more);
    if (more.length < slice) {
      yield { events: back.toReversed(), wholeSince: null };
      return;
    }
    if (back.length < 2 * tried) continue;
    const stretch = await stretchIn(back.toReversed(), read);
    if (!stretch) continue;
    tried = back.length;
    yield stretch;
  }
}

async function stretchIn(events: readonly UniversalEvent[], read: ReadBefore): Promise<Stretch | null> {
  const rests = events.flatMap((event, index) => (isRest(event) ? [index] : []));
  const [first, counted] = [rests[0], rests[spareRests]];
  const since = counted === undefined ? undefined : events[counted + 1];
  if (first === undefined || since === undefined) return null;
  const whole = events.slice(first + 1);
  const missing = referredTo(whole);
  const early = await admissionsBefore(whole[0]?.seq ?? 0, missing, read);
  return { events: [...early, ...whole], wholeSince: since.time };
}

/** After it nothing goes on, as far as one event can tell. */
export function isRest(event: UniversalEvent): boolean {
  if (event.type === "turn.ended") return true;
  return event.type === "item.completed" && event.turn === null && noted(event, deliveryNote) !== null;
}

/** Messages that are written of here, and were admitted before. */
function referredTo(events: readonly UniversalEvent[]): Set<string> {
  const missing = new Set<string>();
  const admitted = new Set<string>();
  for (const event of events) {
    const admission = admissionIn(event);
    if (admission !== null) admitted.add(admission);
    const attempt = noted<AttemptNote>(event, attemptNote)?.message;
    if (attempt !== undefined && !admitted.has(attempt)) missing.add(attempt);
  }
  return missing;
}

async function admissionsBefore(seq: number, wanted: Set<string>, read: ReadBefore): Promise<UniversalEvent[]> {
  const found: UniversalEvent[] = [];
  let before = seq;
  for (let looked = 0; wanted.size > 0 && looked < farthestAdmission; looked += slice) {
    const more = await read(before, slice);
    for (const event of more) {
      const admission = admissionIn(event);
      if (admission !== null && wanted.delete(admission)) found.push(event);
    }
    if (more.length < slice) break;
    before = more.at(-1)?.seq ?? 0;
  }
  return found.reverse();
}

function admissionIn(event: UniversalEvent): string | null {
  return event.type === "item.started" ? (noted<DeliveryNote>(event, deliveryNote)?.message ?? null) : null;
}

function noted<T>(event: UniversalEvent, name: string): T | null {
  if (event.source !== "daemon" || (event.type !== "item.started" && event.type !== "item.completed")) return null;
  const { item } = event.data;
  const [part] = item.parts;
  return item.name === name && part?.type === "json" ? (part.value as T) : null;
}

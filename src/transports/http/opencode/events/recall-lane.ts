/**
 * What a projection has to know of a lane's past before it can take an event: the newest turns, and the beginning of
 * every message that may still be heard of. Found by reading backwards, so that it costs the same in a long log.
 */
import type { DeliveryNote } from "../../../../events/delivery-notes.ts";
import { attemptNote, deliveryNote } from "../../../../events/delivery-notes.ts";
import type { UniversalEvent } from "../../../../events/universal-event.ts";
import type { Desk } from "../../../port.ts";

export type Past = Pick<Desk, "eventsBefore" | "deliveries">;

const atOnce = 100;
/** The attempt at a prompt stands before its turn begins, and so in or after the turn before. */
const turnsBack = 2;
const openStatuses = [
  "pending",
  "submitting",
  "accepted",
  "unanswered",
  "retry_scheduled",
  "failed_retryable",
] as const;

/** Oldest first: those before the number `seq`. */
export async function recallLane(past: Past, laneId: string, seq: number): Promise<UniversalEvent[]> {
  const open = await past.deliveries({ lane: laneId, statuses: openStatuses, limit: 200 });
  const found: UniversalEvent[] = [];
  const wanted = new Set(open.items.map(({ record }) => record.messageId));
  const begun = new Set<string>();
  let turns = 0;
  while (turns < turnsBack || [...wanted].some((message) => !begun.has(message))) {
    const page = await past.eventsBefore(laneId, found.at(-1)?.seq ?? seq, atOnce);
    if (page.length === 0) break;
    for (const event of page) {
      found.push(event);
      if (event.type === "turn.started") turns += 1;
      const note = noteOf(event);
      if (note) (note.begins ? begun : wanted).add(note.message);
    }
  }
  return found.reverse();
}

/** The message that a note is about, and whether it is the first about it. */
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

/**
 * Reads the part of a lane's past that a projection needs before it can process an event: the newest turns, and the
 * admission of every message that was open then, however many turns it had waited. It reads backwards, so the cost does
 * not depend on the length of the log.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { DeliveryRecord } from "../../../core/delivery/record.ts";
import { openStatuses } from "../../../core/delivery/record.ts";
import type { UniversalEvent } from "../../../core/turn/universal-event.ts";
import type { Service } from "../../../service/service.ts";
import { ledgerNote } from "../projection/ledger-note.ts";

export type LanePast = Pick<Service, "eventsBefore" | "deliveries">;

/** `time` is the time of the event to process; null for now. */
export type RestorePoint = { seq: number; time: number | null };

const eventsPageSize = 100;
const deliveriesPageSize = 200;
/** The note about an attempt precedes its turn, so it may be in or after the previous turn. */
const turnsBack = 2;
/** Some events have the time of the agent, whose clock may differ from ours. */
const clocksDifferMs = 60_000;

/** Oldest first: the events before the number `seq`. */
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
